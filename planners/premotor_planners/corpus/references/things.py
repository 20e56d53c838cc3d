"""References to an object that is there, each with one right meaning."""

from __future__ import annotations

from premotor_planners.corpus.references.determiners import Determiners
from premotor_planners.corpus.references.meaning import things_at, things_meant, whereabouts
from premotor_planners.corpus.references.preposition import preposition
from premotor_planners.corpus.references.reference import Reference, Unsuited
from premotor_planners.corpus.worlds import Thing


class ThingReferences:
    """Draws an object of the world, and words that mean it."""

    def __init__(self, determiners: Determiners) -> None:
        self.determiners, self.world, self.rng = determiners, determiners.world, determiners.rng

    def draw(self, avoid: frozenset[str], at: str) -> Reference:
        """An object that is not in `avoid`; look-alikes often, for they need care. May raise Unsuited."""
        pool = [t for t in things_at(self.world, at) if t.name not in avoid]
        if not pool:
            raise Unsuited
        families = [t for t in pool if any(t in family for family in self.world.families)]
        thing = self.rng.choice(families if families and self.rng.random() < 0.5 else pool)
        return self._refer(thing, at)

    def _refer(self, thing: Thing, at: str) -> Reference:
        rng, phrase = self.rng, self._phrase(thing)
        meant = things_meant(self.world, phrase, at)
        if meant == [thing]:
            if not at and rng.random() < 0.08:
                return self._located(thing, phrase)
            return self.determiners.said(phrase, thing.name, definite=rng.random() < 0.88)
        if not at and rng.random() < 0.5 and self._telling_spots(thing, phrase):
            return self._located(thing, phrase)
        if meant and meant[0] == thing and rng.random() < 0.5:
            return self.determiners.any_of(phrase, thing.name)
        return self.determiners.said(thing.name, thing.name, definite=True)

    def _phrase(self, thing: Thing) -> str:
        rng, roll = self.rng, self.rng.random()
        phrase = thing.name if roll < 0.5 else rng.choice(self.world.phrases[thing.name])
        if len(phrase.split()) == 1 and phrase == thing.noun.head != thing.noun.noun and rng.random() < 0.6:
            return thing.name
        return phrase

    def _telling_spots(self, thing: Thing, phrase: str) -> list[str]:
        """Which of its place and its room settle that the phrase means this thing."""
        return [at for at in whereabouts(self.world, thing) if things_meant(self.world, phrase, at) == [thing]]

    def _located(self, thing: Thing, phrase: str) -> Reference:
        """The mug in the study, where no other mug is."""
        spots = self._telling_spots(thing, phrase)
        spot = self.rng.choice(spots) if spots else thing.place
        if spot == self.world.dock:
            raise Unsuited
        what, where = self.determiners.determined(phrase, "the"), self.determiners.determined(spot, "the")
        return Reference(f"{what} {preposition(self.world, spot, self.rng)} {where}", thing.name)
