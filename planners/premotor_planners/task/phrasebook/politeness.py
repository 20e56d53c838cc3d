"""Where a clause begins and ends when the polite words around it are taken off."""

from __future__ import annotations

from functools import lru_cache

from premotor_planners.task.phrasebook.frames import POLITE_ENDS, Phrases, frames
from premotor_planners.task.phrasebook.intents import TAKE
from premotor_planners.task.phrasebook.matcher import Clause
from premotor_planners.task.phrasebook.sentence import Sentence

MAX_BEFORE, MAX_AFTER = 3, 2
_FOR_ME = ("for", "me")
"""After taking something, this means bringing it."""


def beginnings(sentence: Sentence, start: int) -> list[int]:
    """Where a clause may begin: at once, or after up to three polite phrases."""
    return _over(sentence, start, frames().before, MAX_BEFORE)


def endings(sentence: Sentence, end: int, clause: Clause) -> list[int]:
    """Where the clause may end: at once, or after up to two polite phrases; after a message only past a comma."""
    if clause.open:
        parted = end < len(sentence.words) and sentence.gaps[end]
        return _over(sentence, end, _polite_ends(), 1) if parted else [end]
    if clause.leaf.intent in TAKE and sentence.has(_FOR_ME, end):
        return [end]
    return _over(sentence, end, frames().after, MAX_AFTER)


@lru_cache(maxsize=1)
def _polite_ends() -> Phrases:
    return Phrases(POLITE_ENDS)


def _over(sentence: Sentence, start: int, phrases: Phrases, most: int) -> list[int]:
    found, edge = {start: None}, {start}
    for _ in range(most):
        edge = {end for i in edge for end in phrases.ends(sentence.words, i)} - found.keys()
        found.update(dict.fromkeys(sorted(edge)))
    return list(found)
