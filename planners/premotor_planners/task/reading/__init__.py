"""An instruction read once for everybody: names, messages, verbs, clauses and their order."""
