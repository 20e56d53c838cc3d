"""Kernels in C++: one library for all of them, compiled at first use and kept."""
