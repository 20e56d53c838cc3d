"""Engines that were built once: what tells them apart, and where they are kept."""
