"""`premotor bench path`: the motion kernels on one core, beside ONNX Runtime, A* and the peers that are installed."""
