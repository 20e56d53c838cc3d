"""What the words of a slot mean: entries of the catalogue, or something that is certainly not in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from premotor_planners.corpus.lexicon import WEAPONS
from premotor_planners.task.phrasebook.aliases import Aliases, Option, those_at
from premotor_planners.task.phrasebook.sentence import Sentence
from premotor_planners.task.phrasebook.strangers import is_absent
from premotor_planners.task.reading.naming import SPEAKER

DETERMINERS = frozenset({"the", "my", "that", "this", "our", "your", "his", "her", "their", "these", "those"})
ANY = frozenset({"a", "an", "any", "one", "some"})
INSIDE = frozenset({"in", "on", "at", "inside"})
STRANGE_COST, MAX_STRANGE = 0.25, 5
_WEAPONS = frozenset(tuple(name.split()) for name in WEAPONS)


@dataclass(frozen=True)
class Reference:
    """`options` are the entries meant; none when the words name something that is not there (`what`).

    `where` restricts the options to things at these places or rooms. `definite` is false for "a mug".
    """

    options: tuple[Option, ...] = ()
    what: str = ""
    definite: bool = True
    where: tuple[Option, ...] | None = None
    weapon: bool = False
    cost: float = 0.0


Found = tuple[int, Reference]
"""The word after the last, and what the words mean."""


class Referrer:
    """Reads the references of one sentence."""

    def __init__(self, sentence: Sentence, aliases: Aliases) -> None:
        self.sentence, self.aliases = sentence, aliases
        self._known: dict[tuple[str, int], list[Found]] = {}

    def at(self, slot: str, start: int) -> list[Found]:
        """Every reading of a slot's words that begin at `start`."""
        key = (slot, start)
        if key not in self._known:
            self._known[key] = list(self._read(slot, start))
        return self._known[key]

    def _read(self, slot: str, start: int) -> Iterator[Found]:
        if slot in ("person", "person's"):
            yield from self._person(start, possessive=slot.endswith("s"))
        elif slot == "plural":
            yield from self._plural(start)
        elif slot in ("dst", "src"):
            yield from self._spot(start)
        else:
            yield from self._thing(start)
            if slot == "target":
                yield from self._spot(start)

    def _thing(self, start: int) -> Iterator[Found]:
        first, definite = self._determiner(start)
        for end, words in self._spans(first):
            options = self.aliases.things.get(words, ())
            if words in _WEAPONS:
                yield end, Reference(options, self.sentence.slice(first, end), definite, weapon=True)
            elif options:
                reference = Reference(options, self.sentence.slice(first, end), definite)
                yield end, reference
                yield from self._located(end, reference)
        yield from self._strange(first, "thing")

    def _located(self, end: int, reference: Reference) -> Iterator[Found]:
        """`the mug in the study`, `the mug that is on the desk`."""
        words = self.sentence.words
        after = end + 2 if words[end : end + 2] in (("that", "is"), ("which", "is")) else end
        if words[after : after + 1] and words[after] in INSIDE:
            for last, spot in self._spot(after + 1):
                if spot.options and spot.where is None and self._stands(reference, spot.options, end, last):
                    yield last, replace(reference, where=spot.options)

    def _stands(self, reference: Reference, spots: tuple[Option, ...], end: int, last: int) -> bool:
        """Whether the place belongs to the thing: something meant is there, and no punctuation parts them."""
        there = those_at(reference.options, spots, self.aliases.catalogue)
        return bool(there) and self.sentence.is_whole(end - 1, last)

    def _spot(self, start: int) -> Iterator[Found]:
        first, definite = self._determiner(start)
        for end, words in self._spans(first):
            options = self.aliases.spots.get(words, ())
            if options:
                reference = Reference(options, self.sentence.slice(first, end), definite)
                yield end, reference
                yield from self._in_room(end, reference)
        yield from self._strange(first, "spot")

    def _in_room(self, end: int, reference: Reference) -> Iterator[Found]:
        words = self.sentence.words
        if words[end : end + 1] in (("in",), ("of",)):
            first, _ = self._determiner(end + 1)
            for last, span in self._spans(first):
                found = self.aliases.spots.get(span, ())
                rooms = tuple(option for option in found if option.name in self.aliases.catalogue.rooms)
                if rooms and self._stands(reference, rooms, end, last):
                    yield last, replace(reference, where=rooms)

    def _plural(self, start: int) -> Iterator[Found]:
        start, _ = self._determiner(start)
        for end, words in self._spans(start):
            options = self.aliases.plural(words)
            if options:
                yield end, Reference(options, self.sentence.slice(start, end))

    def _person(self, start: int, possessive: bool) -> Iterator[Found]:
        first = start + 1 if self.sentence.words[start] in ("the", "my") else start
        if self.sentence.words[start : start + 1] == ("me",) and not possessive:
            yield start + 1, Reference((Option(SPEAKER, 3),), "me")
        for end, words in self._spans(first):
            if self.sentence.word(end - 1).possessive is possessive:
                options = self.aliases.people.get(words, ())
                if options:
                    yield end, Reference(options, self.sentence.slice(first, end))
        if not possessive:
            yield from self._strange(first, "person")

    def _strange(self, first: int, kind: str) -> Iterator[Found]:
        """Words that surely name what is not there."""
        for end, words in self._spans(first, MAX_STRANGE):
            word = self.sentence.word(end - 1)
            if not word.possessive and is_absent(words, kind, self.aliases, capital=self.sentence.word(first).capital):
                yield end, Reference(what=self.sentence.slice(first, end), cost=STRANGE_COST * (end - first))

    def _determiner(self, start: int) -> tuple[int, bool]:
        word = self.sentence.words[start] if start < len(self.sentence.words) else ""
        if word in DETERMINERS or word in ANY:
            return start + 1, word in DETERMINERS
        return start, True

    def _spans(self, first: int, longest: int = 0) -> Iterator[tuple[int, tuple[str, ...]]]:
        words = self.sentence.words
        for end in range(first + 1, min(first + (longest or self.aliases.longest), len(words)) + 1):
            if not self.sentence.is_whole(first, end):
                return
            yield end, words[first:end]
