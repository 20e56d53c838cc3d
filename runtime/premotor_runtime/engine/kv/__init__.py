"""Memory of keys and values: who holds which blocks."""
