"""Floor 0: what every other floor needs and none may redefine: the error tree, strict YAML, whole-file writes."""
