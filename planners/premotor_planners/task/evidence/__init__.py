"""Whether a plan is possible, and whether it is the one that was meant."""
