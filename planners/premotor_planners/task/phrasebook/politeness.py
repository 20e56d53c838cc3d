"""Where a clause begins and ends when the polite words around it are taken off."""

from __future__ import annotations

from collections.abc import Iterable

from premotor_planners.task.phrasebook.frames import POLITE_ENDS, frames
from premotor_planners.task.phrasebook.intents import TAKE
from premotor_planners.task.phrasebook.matcher import Clause
from premotor_planners.task.phrasebook.sentence import Sentence

MAX_BEFORE, MAX_AFTER = 3, 2
_FOR_ME = frozenset({("for", "me")})
"""After taking something, this means bringing it."""


def beginnings(sentence: Sentence, start: int) -> list[int]:
    """Where a clause may begin: at once, or after up to three polite phrases."""
    return _over(sentence, start, frames().before, MAX_BEFORE)


def endings(sentence: Sentence, end: int, clause: Clause) -> list[int]:
    """Where the clause may end: at once, or after up to two polite phrases; after a message only past a comma."""
    if clause.open:
        parted = end < len(sentence.words) and sentence.gaps[end]
        return _over(sentence, end, POLITE_ENDS, 1) if parted else [end]
    return _over(sentence, end, frames().after - (_FOR_ME if clause.leaf.intent in TAKE else frozenset()), MAX_AFTER)


def _over(sentence: Sentence, start: int, phrases: Iterable[tuple[str, ...]], most: int) -> list[int]:
    found, edge = {start: None}, {start}
    for _ in range(most):
        edge = {i + len(p) for i in edge for p in phrases if sentence.has(p, i)} - found.keys()
        found.update(dict.fromkeys(sorted(edge)))
    return list(found)
