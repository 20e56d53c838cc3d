"""Clauses of a sentence that are a template word for word, with what stands in its slots."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from premotor_planners.task.phrasebook.graph import Leaf, Node
from premotor_planners.task.phrasebook.patterns import OPEN_SLOTS, command_words, phrase_tree
from premotor_planners.task.phrasebook.references import Reference, Referrer
from premotor_planners.task.phrasebook.sentence import Sentence

MAX_MESSAGE_WORDS, MAX_ADDRESS_WORDS = 24, 8
_TOWARDS = frozenset({"in", "at", "on", "to", "for", "by", "near"})
_POLITE = frozenset({"please", "thanks", "thank"})
_SEQUEL = re.compile(r" (then|afterwards|after that|once (that|you)|when you are done|next|finally) ")
_INDIRECT = frozenset({
    "about", "what", "where", "how", "why", "if", "whether", "who", "which", "not", "to", "in", "on", "at", "and", "or",
    "for", "with", "over", "from", "but",
})  # fmt: skip


class TooMuchWork(Exception):
    """The sentence has more readings than are worth looking at."""


@dataclass(frozen=True)
class Filling:
    """What stands in a slot: a reference, a message (the text as written), or seconds."""

    slot: str
    reference: Reference | None = None
    message: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Clause:
    """A template found. `open`: it ends with a message, so more words might belong to it. `cost`: unexplained words.

    `shaky`: the message holds what may be another clause, or what is not a message word for word.
    `wrapped`: there is politeness around it.
    """

    leaf: Leaf
    fillings: tuple[Filling, ...] = ()
    open: bool = False
    shaky: bool = False
    cost: float = 0.0
    wrapped: bool = False

    def reference(self, slot: str) -> Reference | None:
        """What a slot refers to; None where the template has no such slot."""
        return next((f.reference for f in self.fillings if f.slot.removesuffix("'s") == slot), None)


Budget = Callable[[], None]
"""Counts one piece of work; raises TooMuchWork when there was too much."""


class Matcher:
    """Finds the clauses that begin at a word."""

    def __init__(self, sentence: Sentence, referrer: Referrer, spend: Budget, may_end: Callable[[int], bool]) -> None:
        self.sentence, self.referrer, self.spend = sentence, referrer, spend
        self.may_end = may_end
        self._known: dict[int, list[tuple[int, Clause]]] = {}

    def at(self, start: int) -> list[tuple[int, Clause]]:
        """(word after the last, clause) for every template that matches from `start`."""
        if start not in self._known:
            self._known[start] = list(self._walk(phrase_tree(), start, Clause(Leaf("", False, False)), start))
        return self._known[start]

    def _walk(self, node: Node[Leaf], index: int, clause: Clause, start: int) -> Iterator[tuple[int, Clause]]:
        self.spend()
        for leaf in node.leaves:
            yield index, self._ending(leaf, clause, index)
        if index >= len(self.sentence.words):
            return
        following = node.words.get(self.sentence.words[index])
        if following:
            yield from self._walk(following, index + 1, clause, start)
        for slot, after in node.slots.items():
            for end, filling, cost, shaky in self._fill(slot.replace("{", "").replace("}", ""), index, after):
                grown = Clause(
                    clause.leaf,
                    (*clause.fillings, filling),
                    end == len(self.sentence.words) or not after.words,
                    clause.shaky or shaky,
                    clause.cost + cost,
                )
                yield from self._walk(after, end, grown, start)

    def _ending(self, leaf: Leaf, clause: Clause, end: int) -> Clause:
        last = clause.fillings[-1].slot if clause.fillings else ""
        is_open = clause.open and last in OPEN_SLOTS
        shaky = clause.shaky or (is_open and leaf.intent == "say_here" and self._is_addressed(end))
        return Clause(leaf, clause.fillings, is_open, shaky, clause.cost)

    def _is_addressed(self, end: int) -> bool:
        """Whether words to be said right here end with a place or person, so that they may belong there."""
        for start in range(max(0, end - MAX_ADDRESS_WORDS), end - 1):
            if self.sentence.words[start] in _TOWARDS:
                found = (*self.referrer.at("dst", start + 1), *self.referrer.at("person", start + 1))
                if any(last == end for last, _ in found):
                    return True
        return False

    def _fill(self, slot: str, index: int, after: Node[Leaf]) -> Iterator[tuple[int, Filling, float, bool]]:
        if slot in OPEN_SLOTS:
            yield from self._messages(slot, index, after)
        elif slot == "duration":
            if index in self.sentence.durations:
                end, seconds = self.sentence.durations[index]
                yield end, Filling(slot, seconds=seconds), 0.0, False
        else:
            for end, reference in self.referrer.at(slot, index):
                yield end, Filling(slot, reference), reference.cost, False

    def _messages(self, slot: str, index: int, after: Node[Leaf]) -> Iterator[tuple[int, Filling, float, bool]]:
        words = self.sentence.words
        for end in range(index + 1, min(index + MAX_MESSAGE_WORDS, len(words)) + 1):
            follows = end < len(words) and words[end] in after.words
            if follows or (after.leaves and self.may_end(end)):
                message = self.sentence.slice(index, end)
                yield end, Filling(slot, message=message), float(end - index), self._is_odd(slot, index, end)

    def _is_odd(self, slot: str, start: int, end: int) -> bool:
        """Whether the words are hardly what is to be said, word for word."""
        words = self.sentence.words[start:end]
        if (slot == "text" and words[0] in _INDIRECT) or words[-1] in _POLITE:
            return True
        if any(self.sentence.ends_before(i) or self._is_order(i) for i in range(start + 1, end)):
            return True
        return bool(_SEQUEL.search(f" {' '.join(words)} ")) or '"' in "".join(self.sentence.gaps[start + 1 : end])

    def _is_order(self, index: int) -> bool:
        """Whether another command may begin at the word, after `and` or a comma."""
        before, word = self.sentence.words[index - 1], self.sentence.words[index]
        parted = before in ("and", "but") or bool(self.sentence.gaps[index])
        return parted and (word in ("and", "but") or word in command_words())
