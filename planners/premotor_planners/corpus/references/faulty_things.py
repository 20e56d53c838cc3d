"""References to objects that mean too much (ask which) or nothing (refuse as unknown)."""

from __future__ import annotations

from premotor_planners.corpus.references.determiners import Determiners
from premotor_planners.corpus.references.meaning import things_at, things_meant
from premotor_planners.corpus.references.reference import MOST_CANDIDATES, Reference, Unsuited
from premotor_planners.corpus.worlds import thing_phrases
from premotor_planners.task.answers.answer import AskAnswer

COLORS = frozenset((
    "red", "blue", "green", "yellow", "white", "black", "pink", "brown", "orange", "grey", "purple", "silver",
    "golden",
))  # fmt: skip
COMMON_COLORS = frozenset({"red", "blue", "green", "yellow", "black", "white"})


class FaultyThingReferences:
    """Draws words for an object that fit several, or none. May raise Unsuited, as the world may offer none."""

    def __init__(self, determiners: Determiners) -> None:
        self.determiners, self.world, self.rng = determiners, determiners.world, determiners.rng

    def draw(self, fault: str, at: str) -> Reference:
        """`fault`: ambiguous, near or unknown; `at`: the sentence says that the thing is there."""
        return {"ambiguous": self._ambiguous, "near": self._near_miss, "unknown": self._unknown}[fault](at)

    def _ambiguous(self, at: str) -> Reference:
        here = things_at(self.world, at)
        options = {
            phrase: found
            for thing in here
            for phrase in self.world.phrases[thing.name]
            if len(found := things_meant(self.world, phrase, at)) > 1 and all(t in here for t in found)
        }
        if not options or self.world.catalogue.holding:
            raise Unsuited
        phrase, found = self.rng.choice(list(options.items()))
        if len(found) > MOST_CANDIDATES:
            raise Unsuited
        candidates = tuple(t.name for t in found)
        return Reference(self.determiners.determined(phrase, "the"), problem=AskAnswer(candidates), bare=phrase)

    def _near_miss(self, at: str) -> Reference:
        """The green mug, where there are mugs of other colours only."""
        pool = [t for t in things_at(self.world, at) if t.attribute in COLORS]
        self.rng.shuffle(pool)
        for thing in pool:
            kin = [t for t in self.world.things.values() if {t.noun.noun, t.noun.head} & set(thing.phrases)]
            missing = COLORS & set(thing.noun.attributes) | COMMON_COLORS
            missing -= {t.attribute for t in kin}
            if all(t.attribute in COLORS for t in kin) and missing:
                return self.determiners.absent(f"{self.rng.choice(sorted(missing))} {self.rng.choice(thing.plain)}")
        raise Unsuited

    def _unknown(self, at: str) -> Reference:
        """Something that is nowhere in the world, so wherever the sentence says it is."""
        heads = {w for t in self.world.things.values() for p in self.world.phrases[t.name] for w in p.split()}
        listed = self.rng.random() < 0.4
        phrase = self.rng.choice(self.world.lexicon.unknown_objects) if listed else self._missing_noun(heads)
        if things_meant(self.world, phrase) or (" " not in phrase and phrase in heads):
            raise Unsuited
        return self.determiners.absent(phrase)

    def _missing_noun(self, heads: set[str]) -> str:
        """A noun of the lexicon that this world lacks, sometimes with the head of one that it has."""
        rng, nouns = self.rng, self.world.lexicon.nouns
        alike = [n for n in nouns if n.head in heads and n.head != n.noun]
        noun = rng.choice(alike) if alike and rng.random() < 0.35 else rng.choice(nouns)
        if any(things_meant(self.world, p) for p in thing_phrases(noun, "") if p != noun.head):
            raise Unsuited
        attribute = rng.choice(noun.attributes) if noun.attributes and rng.random() < 0.25 else ""
        return f"{attribute} {noun.noun}".strip()
