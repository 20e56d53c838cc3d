"""The phrasebook: known phrasings, word for word, with any names of the live catalogue; needs no model."""

from premotor_planners.task.phrasebook.parser import parse

__all__ = ["parse"]
