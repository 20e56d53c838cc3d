"""References to places that mean too much (ask which) or nothing (refuse as unknown)."""

from __future__ import annotations

from premotor_planners.corpus.references.determiners import Determiners
from premotor_planners.corpus.references.meaning import places_meant
from premotor_planners.corpus.references.reference import MOST_CANDIDATES, Reference, Unsuited
from premotor_planners.task.answers.answer import AskAnswer, RefusalAnswer


class FaultyPlaceReferences:
    """Draws words for a place that fit several, or none. May raise Unsuited, as the world may offer none."""

    def __init__(self, determiners: Determiners) -> None:
        self.determiners, self.world, self.rng = determiners, determiners.world, determiners.rng

    def unknown(self) -> Reference:
        """A place that this world lacks, often much like one that it has."""
        phrase = self._candidate()
        words = {w for n in (*self.world.catalogue.places, *self.world.catalogue.rooms) for w in self.world.phrases[n]}
        if not phrase or places_meant(self.world, phrase) or (phrase in words and " " not in phrase):
            raise Unsuited
        if any(phrase in name or name in phrase for name in words if " " in name or name == phrase):
            raise Unsuited
        if any(s in words for s in self.world.lexicon.place_synonyms.get(phrase, ())):
            raise Unsuited
        text = phrase if phrase[0].isupper() else self.determiners.determined(phrase, "the")
        return Reference(text, problem=RefusalAnswer("unknown", phrase), bare=phrase)

    def _candidate(self) -> str:
        lexicon = self.world.lexicon
        rooms = tuple(r.name for r in lexicon.rooms)
        pool = self.rng.choice((lexicon.unknown_places, rooms, lexicon.spare_places, self._like_places()))
        return self.rng.choice(pool) if pool else ""

    def _like_places(self) -> tuple[str, ...]:
        """Places of the lexicon with the last word of one that is there."""
        heads = {p.split()[-1] for p in self.world.spots}
        return tuple(p for p in self.world.lexicon.spare_places if " " in p and p.split()[-1] in heads)

    def ambiguous(self) -> Reference:
        """The table, where there are several; never with a room or the dock among them."""
        world = self.world
        options = {p: f for n in world.spots for p in world.phrases[n] if len(f := places_meant(world, p)) > 1}
        options = {p: f for p, f in options.items() if not set(f) & {*world.catalogue.rooms, world.dock}}
        if not options:
            raise Unsuited
        phrase, found = self.rng.choice(list(options.items()))
        if len(found) > MOST_CANDIDATES:
            raise Unsuited
        return Reference(self.determiners.determined(phrase, "the"), problem=AskAnswer(tuple(found)), bare=phrase)
