"""Computations with fixed shapes, one a file: parameters, a readable reference in numpy, and an ONNX graph."""
