"""Plan quality on sets of instructions."""
