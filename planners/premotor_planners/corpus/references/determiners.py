"""The word before a noun: the mug, my mug, any mug, some chopsticks."""

from __future__ import annotations

import random

from premotor_planners.corpus.references.reference import Reference, Unsuited
from premotor_planners.corpus.worlds import SampledWorld
from premotor_planners.task.answers.answer import RefusalAnswer


class Determiners:
    """Puts determiners before phrases about one world. `terse`: without articles."""

    def __init__(self, world: SampledWorld, rng: random.Random, terse: bool) -> None:
        self.world, self.rng, self.terse = world, rng, terse

    def determined(self, phrase: str, determiner: str) -> str:
        """The phrase after this determiner."""
        return phrase if self.terse else f"{determiner} {phrase}"

    def said(self, phrase: str, name: str, definite: bool) -> Reference:
        """The phrase, meaning this name: "the mug", or if not `definite`, "a mug" where that is English."""
        if not definite and not self._mass(phrase):
            return self.any_of(phrase, name)
        determiner = self.rng.choice(("the",) * 16 + ("my", "my", "that", "this", "our"))
        if determiner in ("that", "this") and self._mass(phrase):
            determiner = "the"
        return Reference(self.determined(phrase, determiner), name, bare=phrase)

    def any_of(self, phrase: str, name: str) -> Reference:
        """Any of several: "a mug", "any mug". Raises Unsuited for plurals and stuff."""
        if self._mass(phrase):
            raise Unsuited
        article = "an" if phrase[0] in "aeiou" else "a"
        choices = [f"{article} {phrase}"] * 4 + [f"any {phrase}", f"one {phrase}"]
        return Reference(
            phrase if self.terse and self.rng.random() < 0.5 else self.rng.choice(choices), name, bare=phrase
        )

    def absent(self, phrase: str) -> Reference:
        """The phrase for what is not there, to be refused as unknown."""
        plural = phrase.endswith("s") and not phrase.endswith("ss")
        article = "some" if plural else "an" if phrase[0] in "aeiou" else "a"
        determiner = self.rng.choice(("the", "the", "the", "my", article))
        return Reference(self.determined(phrase, determiner), problem=RefusalAnswer("unknown", phrase), bare=phrase)

    def _mass(self, phrase: str) -> bool:
        """Whether `a` before the phrase would be wrong: plurals and stuff (chopsticks, milk)."""
        last = phrase.split()[-1]
        stuff = {s for t in self.world.things.values() for s in t.noun.synonyms if s in t.noun.noun}
        return (last.endswith("s") and not last.endswith(("ss", "us"))) or phrase in stuff or " of " in phrase
