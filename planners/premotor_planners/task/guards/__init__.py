"""What may not or cannot be done, told from the words alone; no model takes part."""
