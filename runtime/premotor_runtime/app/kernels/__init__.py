"""Kernels and devices brought together: exported, built and profiled from the command line."""
