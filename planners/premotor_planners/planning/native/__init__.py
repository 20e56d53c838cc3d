"""Searches in C++: one library, compiled at first use and kept."""
