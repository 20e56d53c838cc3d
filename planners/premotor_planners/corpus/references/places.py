"""References to a place or room that is there, each with one right meaning."""

from __future__ import annotations

from premotor_planners.corpus.references.determiners import Determiners
from premotor_planners.corpus.references.meaning import places_meant
from premotor_planners.corpus.references.reference import Reference, Unsuited


class PlaceReferences:
    """Draws a place of the world, and words that mean it."""

    def __init__(self, determiners: Determiners) -> None:
        self.determiners, self.world, self.rng = determiners, determiners.world, determiners.rng

    def draw(self, avoid: frozenset[str], rooms: float) -> Reference:
        """A place, or with probability `rooms` a room, that is not in `avoid`. May raise Unsuited."""
        world, rng = self.world, self.rng
        pool = [r for r in world.catalogue.rooms if r not in avoid] if rng.random() < rooms else []
        pool = pool or [p for p in world.spots if p not in avoid]
        if not pool:
            raise Unsuited
        return self.refer(rng.choice(pool))

    def refer(self, name: str) -> Reference:
        """A reference to this place or room."""
        world, rng = self.world, self.rng
        phrase = name if rng.random() < 0.65 else rng.choice(world.phrases[name])
        room = world.catalogue.places.get(name)
        meant = places_meant(world, phrase)
        if meant == [name]:
            if room and rng.random() < 0.06 and room not in phrase:
                return self._in_room(phrase, room, name)
            return self._plain(phrase, "my" if rng.random() < 0.04 else "the", name)
        if room and [p for p in meant if world.room_of(p) == room] == [name]:
            return self._in_room(phrase, room, name)
        return self._plain(name, "the", name)

    def _plain(self, phrase: str, determiner: str, name: str) -> Reference:
        return Reference(self.determiners.determined(phrase, determiner), name, bare=phrase)

    def _in_room(self, phrase: str, room: str, name: str) -> Reference:
        """The table in the study."""
        determined = self.determiners.determined
        return Reference(f"{determined(phrase, 'the')} in {determined(room, 'the')}", name, bare=phrase)
