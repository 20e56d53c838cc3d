"""The live catalogue: everything that a plan may name, and the state it starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

COMPACT_SKILLS = ("go", "pick", "place", "give", "say", "wait", "inspect", "dock")
"""What the language model calls the skills; one short word each, so that a plan is few tokens."""


@dataclass(frozen=True)
class Catalogue:
    """Names in a fixed order. `places` maps to rooms, `objects` to places, `people` to places; `user` is who speaks.

    `synonyms` maps a catalogue name to other words for it (used as evidence, never shown to the model).
    """

    rooms: tuple[str, ...]
    places: Mapping[str, str]
    objects: Mapping[str, str]
    people: Mapping[str, str]
    skills: tuple[str, ...] = COMPACT_SKILLS
    holding: str | None = None
    docks: frozenset[str] = frozenset()
    hazards: frozenset[str] = frozenset()
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
