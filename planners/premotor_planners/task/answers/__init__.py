"""The compact plan language: what a model is asked, what it may answer, and what that comes to."""
