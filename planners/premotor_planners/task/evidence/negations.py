"""A second, cruder look for exclusions, which shares nothing with the reader of roles: a name soon after `not`,
`instead of`, `rather than`, `except` or `but not` may not be used unless it is also named elsewhere."""

from __future__ import annotations

import re

from premotor_planners.task.reading.reading import Reading
from premotor_planners.task.reading.verbs import is_verb

REACH = 4
"""Words between the exclusion and the name: `not on the old coffee table`."""

_EXCLUDING = frozenset(
    {"not", "instead", "rather", "except", "excluding", "never", "neither", "nor", "without", "don't", "avoid"}
)
_STAYS = re.compile(
    r"(?:(?:can|may|should|must|has to|have to|is to|will|needs to) )?"
    r"(?:stays?|remains?|(?:is|are) (?:fine|ok|okay|good|alright|all right)) "
    r"(?:put|behind|there|here|where|as)\b"
)
_STAYING_WORDS = 7
_STOPS = frozenset({".", "!", "?", ";", ",", "but", "and"})


def excluded_names(reading: Reading) -> frozenset[str]:
    """Names that stand only in reach of an exclusion (and of one meaning), outside messages."""
    marked = reading.marked
    excluded: set[str] = set()
    wanted: set[str] = set()
    asking = {i for clause in reading.clauses if clause.kind in ("task", "fragment") for i in clause.indexes}
    background = {i for clause in reading.clauses if clause.kind == "background" for i in clause.indexes}
    for mention in marked.mentions:
        near = _near_exclusion(reading, mention.phrase_start)
        stated = mention.start in background and _is_said_not_to_be(reading, mention.phrase_start)
        stated = stated or _is_said_to_stay(reading, mention.end)
        if stated and len(mention.candidates) == 1:
            excluded.update(mention.candidates)
        if mention.start not in asking:
            continue
        if len(mention.candidates) == 1:
            (excluded if near else wanted).update(mention.candidates)
    return frozenset(excluded - wanted)


def _near_exclusion(reading: Reading, start: int) -> bool:
    for index in range(start - 1, max(-1, start - 1 - REACH), -1):
        word = reading.marked.word(index)
        if word in _STOPS or index in reading.marked.polite or is_verb(index, reading.marked):
            return False
        if word in _EXCLUDING and reading.marked.word(index + 1) not in ("only", "just"):
            return True
    return False


def _is_said_not_to_be(reading: Reading, start: int) -> bool:
    """`… and it must not be the wool one`."""
    return [reading.marked.word(i) for i in (start - 2, start - 1)] == ["not", "be"]


def _is_said_to_stay(reading: Reading, end: int) -> bool:
    """`… my jump rope stays put`, `… is fine where it is`."""
    return _STAYS.match(" ".join(reading.marked.word(i) for i in range(end, end + _STAYING_WORDS))) is not None
