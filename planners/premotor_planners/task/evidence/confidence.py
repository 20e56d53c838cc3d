"""How sure a language model was of the names it chose, before the grammar's mask hid its other wishes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from premotor_planners.task.language_model import Generation

NAME_PROBABILITY_MIN = 0.05
"""A name whose least likely token was below this, among all tokens, was forced by the grammar rather than read."""


def answer_probability(generation: Generation) -> float:
    """Probability of the whole answer among all texts of its length (product over the tokens); 0 to 1."""
    return math.exp(sum(generation.logprobs_full))


def name_probability(generation: Generation, name: str) -> float:
    """The least probability among the tokens that spell `name`, at its least certain place; 1 if absent.

    Blanks are left out of the comparison: tokenizers differ in where they put them.
    """
    tokens = [token.replace(" ", "").replace("\u2581", "") for token in generation.tokens]
    spans = [match.span() for match in re.finditer(re.escape(name.replace(" ", "")), "".join(tokens))]
    least, position = 0.0, 0
    for token, logprob in zip(tokens, generation.logprobs_full, strict=True):
        end = position + len(token)
        if any(start < end and position < stop for start, stop in spans):
            least = min(least, logprob)
        position = end
    return math.exp(least)


def unsure_names(generation: Generation, names: Sequence[str]) -> list[str]:
    """Those of `names` that the model would hardly have written by itself."""
    return [name for name in dict.fromkeys(names) if name_probability(generation, name) < NAME_PROBABILITY_MIN]
