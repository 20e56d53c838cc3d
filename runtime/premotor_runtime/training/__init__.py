"""Training of a LoRA adapter for the language planner (extra `torch`); nothing here is imported at run time."""
