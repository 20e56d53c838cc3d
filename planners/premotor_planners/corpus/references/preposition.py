"""The preposition before a place: in a room or a sink, on a table."""

from __future__ import annotations

import random

from premotor_planners.corpus.worlds import SampledWorld

INSIDE = frozenset((
    "sink", "basin", "drawer", "box", "bin", "basket", "cabinet", "cupboard", "crib", "wardrobe", "closet", "chest",
    "crate", "trunk", "locker", "bathtub", "hamper", "safe", "fridge", "freezer", "minibar", "microwave", "dryer",
    "dishwasher", "tray", "machine",
))  # fmt: skip
"""Last words of places that things are put into."""


def preposition(world: SampledWorld, spot: str, rng: random.Random) -> str:
    """In a room or a sink; on a table."""
    if spot in world.catalogue.rooms:
        return "in"
    if spot.split()[-1] in INSIDE:
        return rng.choice(("in", "in", "at"))
    return rng.choice(("on", "on", "on", "at"))
