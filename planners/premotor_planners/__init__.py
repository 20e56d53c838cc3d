"""Floor 1: task planning (words to a checked plan) and path planning (maps, kernels, control)."""
