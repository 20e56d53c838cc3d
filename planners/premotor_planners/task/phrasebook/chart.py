"""All ways to read a whole sentence as clauses of the phrasebook: politeness taken off, joins split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from premotor_planners.task.phrasebook.frames import POLITE_ENDS, Frame, Link, Links, frames
from premotor_planners.task.phrasebook.matcher import Clause, Matcher, TooMuchWork
from premotor_planners.task.phrasebook.patterns import phrase_tree
from premotor_planners.task.phrasebook.politeness import beginnings, endings
from premotor_planners.task.phrasebook.references import Referrer
from premotor_planners.task.phrasebook.sentence import Sentence

MAX_WORDS, MAX_WORK, MAX_CLAUSES, MAX_READINGS = 80, 20_000, 4, 12
RUN_ON_COST = 0.01
"""A reading as one clause is the better one; only among readings alike in all else does this decide."""


@dataclass(frozen=True)
class Reading:
    """Clauses in the order in which they are to be carried out; `shaky` where a message may go on past its clause."""

    clauses: tuple[Clause, ...]
    shaky: bool = False
    run_on: int = 0
    """Clauses that follow another with nothing between them."""

    @property
    def cost(self) -> float:
        """How much of it is unexplained."""
        return sum(clause.cost for clause in self.clauses) + RUN_ON_COST * self.run_on


Found = tuple[int, Reading]
"""The word after the last, and the reading."""


class Chart:
    """Reads one sentence."""

    def __init__(self, sentence: Sentence, referrer: Referrer) -> None:
        self.sentence, self.size, self.work = sentence, len(sentence.words), 0
        self.matcher = Matcher(sentence, referrer, self.spend, self.may_end)
        self._units: dict[int, list[tuple[int, Clause]]] = {}
        self._chains: dict[tuple[int, int], list[Found]] = {}

    def readings(self) -> list[Reading]:
        """Every reading of the whole sentence. Raises TooMuchWork for a text with far too many."""
        if not 0 < self.size <= MAX_WORDS:
            return []
        found = [reading for end, reading in self.chains(0, MAX_CLAUSES) if end == self.size]
        for start in beginnings(self.sentence, 0):
            for frame in frames().frames:
                found += self.framed(frame, start)
        return found

    def spend(self) -> None:
        """Count one step of work."""
        self.work += 1
        if self.work > MAX_WORK:
            raise TooMuchWork

    def may_end(self, index: int) -> bool:
        """Whether a message may end before the word."""
        if index >= self.size or self.sentence.gaps[index]:
            return True
        word = self.sentence.words[index]
        polite = any(word == ending[0] for ending in POLITE_ENDS)
        return polite or word in frames().link_starts or (self.sentence.unmarked and word in phrase_tree().words)

    def units(self, start: int) -> list[tuple[int, Clause]]:
        """Clauses with the politeness around them."""
        if start not in self._units:
            found: dict[tuple[int, Clause], None] = {}
            for first in beginnings(self.sentence, start):
                for end, clause in self.matcher.at(first):
                    for last in endings(self.sentence, end, clause):
                        found[last, replace(clause, wrapped=(first, end) != (start, last))] = None
            self._units[start] = list(found)
        return self._units[start]

    def chains(self, start: int, clauses: int) -> list[Found]:
        """Readings from `start` of up to `clauses` clauses with plain words between them."""
        key = (start, clauses)
        if key not in self._chains:
            found: dict[Found, None] = {}
            for end, clause in self.units(start):
                self.spend()
                remark = clause.leaf.intent == "unclear"
                if remark and (start, end) != (0, self.size):
                    continue
                found[end, Reading((clause,))] = None
                if clauses > 1 and end < self.size:
                    found.update(dict.fromkeys(self._continued(end, clause, clauses)))
            self._chains[key] = _cheapest(found)
        return self._chains[key]

    def _continued(self, end: int, clause: Clause, clauses: int) -> Iterator[Found]:
        for link in frames().links.at(self.sentence.words, end):
            if self.joins(link, end):
                unsure = clause.open and not self.is_clear(link, end)
                bare = int(not link.words and not self.sentence.gaps[end])
                for last, rest in self.chains(end + len(link.words), clauses - 1):
                    self.spend()
                    if not unsure or rest.clauses[0].leaf.imperative:
                        yield last, Reading((clause, *rest.clauses), rest.shaky or unsure, rest.run_on + bare)

    def joins(self, link: Link, index: int) -> bool:
        """Whether the link, whose words stand at `index`, joins; mere punctuation must be there if any is."""
        return bool(link.words) or (index < self.size and (bool(self.sentence.gaps[index]) or self.sentence.unmarked))

    def is_clear(self, link: Link, index: int) -> bool:
        """Whether a message cannot go on over the link."""
        return link.clear or (link.stop and self.sentence.ends_before(index))

    def framed(self, frame: Frame, start: int) -> list[Reading]:
        """Readings of start to the end of the sentence by one join template."""
        words = self.sentence.words
        partial = [(start + len(link.words), Reading(())) for link in frame.links[0].at(words, start)]
        for links in frame.links[1:]:
            partial = list(self._extended(links, links is frame.links[-1], partial))
        order = sorted(range(len(frame.slots)), key=lambda i: frame.slots[i])
        whole = [reading for end, reading in partial if end == self.size]
        return [replace(reading, clauses=tuple(reading.clauses[i] for i in order)) for reading in whole]

    def _extended(self, links: Links, is_last: bool, partial: list[Found]) -> Iterator[Found]:
        for start, before in partial:
            for end, clause in self.units(start) if start < self.size else ():
                for link in links.at(self.sentence.words, end):
                    self.spend()
                    if end == self.size if is_last and not link.words else self.joins(link, end):
                        unsure = clause.open and end < self.size and not self.is_clear(link, end)
                        grown = Reading((*before.clauses, clause), before.shaky or unsure, before.run_on)
                        yield end + len(link.words), grown


def _cheapest(readings: dict[Found, None]) -> list[Found]:
    """For each end the few that leave least unexplained."""
    found: dict[int, list[Found]] = {}
    for end, reading in sorted(readings, key=lambda item: item[1].cost):
        found.setdefault(end, []).append((end, reading))
    return [item for items in found.values() for item in items[:MAX_READINGS]]
