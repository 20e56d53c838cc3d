"""How people refer to what is in the catalogue, and to what is not, with what a reference means."""

from __future__ import annotations

import random

from premotor_planners.corpus.references.determiners import Determiners
from premotor_planners.corpus.references.faulty_places import FaultyPlaceReferences
from premotor_planners.corpus.references.faulty_things import FaultyThingReferences
from premotor_planners.corpus.references.people import known_person, unknown_person
from premotor_planners.corpus.references.places import PlaceReferences
from premotor_planners.corpus.references.reference import Reference
from premotor_planners.corpus.references.things import ThingReferences
from premotor_planners.corpus.worlds import SampledWorld


class Referrer:
    """Makes references to one world; each may raise Unsuited. `terse`: without articles.

    A `fault` asks for a reference that means nothing or too much; "" for one that means exactly one thing.
    """

    def __init__(self, world: SampledWorld, rng: random.Random, terse: bool) -> None:
        self.world, self.rng = world, rng
        determiners = Determiners(world, rng, terse)
        self._things, self._faulty_things = ThingReferences(determiners), FaultyThingReferences(determiners)
        self._places, self._faulty_places = PlaceReferences(determiners), FaultyPlaceReferences(determiners)

    def thing(self, fault: str = "", avoid: frozenset[str] = frozenset(), at: str = "") -> Reference:
        """An object. `at`: the sentence says that it is at this place or room, which may settle what is meant."""
        return self._faulty_things.draw(fault, at) if fault else self._things.draw(avoid, at)

    def spot(self, fault: str = "", avoid: frozenset[str] = frozenset(), rooms: float = 0.3) -> Reference:
        """A place, or with probability `rooms` a room."""
        if fault == "unknown":
            return self._faulty_places.unknown()
        if fault == "ambiguous":
            return self._faulty_places.ambiguous()
        return self._places.draw(avoid, rooms)

    def place(self, name: str) -> Reference:
        """A reference to this place or room."""
        return self._places.refer(name)

    def person(self, fault: str = "") -> Reference:
        """Somebody other than the speaker, by name."""
        return unknown_person(self.world, self.rng) if fault else known_person(self.world, self.rng)
