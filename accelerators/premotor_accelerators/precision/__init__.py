"""A kernel's graph in another precision: half, or int8 with ranges from recordings; and the error that this costs."""
