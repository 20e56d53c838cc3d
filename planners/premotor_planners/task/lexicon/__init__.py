"""English words by class, and texts as words; the lists are the YAML files beside this one."""
