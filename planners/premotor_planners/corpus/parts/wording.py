"""The words of a clause: its template with the slots filled in, and prepositions that fit them."""

from __future__ import annotations

import random
import re

from premotor_planners.corpus.parts.filled import Filled
from premotor_planners.corpus.references.preposition import preposition
from premotor_planners.corpus.references.reference import Unsuited
from premotor_planners.corpus.templates import Template
from premotor_planners.corpus.worlds import SampledWorld


def clause_text(template: Template, filled: Filled, world: SampledWorld, rng: random.Random) -> str:
    """The clause, with the prepositions that rooms and sinks want. Raises Unsuited when a slot is not filled."""
    text = template.text
    for slot in ("dst", "src"):
        if filled.name(slot) and f"{{{slot}}}" in text:
            text = _fit(text, slot, filled.name(slot), world, rng)
    values = {slot: reference.text for slot, reference in filled.references.items()} | filled.words
    try:
        return text.format(**values)
    except (KeyError, IndexError) as error:
        raise Unsuited from error


def _fit(text: str, slot: str, name: str, world: SampledWorld, rng: random.Random) -> str:
    if preposition(world, name, rng) != "in":
        return text
    room = name in world.catalogue.rooms
    text = re.sub(rf"\b(on|at) \{{{slot}\}}", rf"in {{{slot}}}", text)
    text = re.sub(rf"\bonto \{{{slot}\}}", rf"into {{{slot}}}", text)
    return re.sub(rf"\boff \{{{slot}\}}", ("out of" if room else "from") + rf" {{{slot}}}", text)
