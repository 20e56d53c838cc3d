"""An instruction read once for everybody: names, messages, lengths of time and clauses."""

from __future__ import annotations

import re
from dataclasses import dataclass

from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.clauses import Clause, Marked, split_clauses
from premotor_planners.task.corrections import corrected
from premotor_planners.task.durations import find_durations
from premotor_planners.task.mentions import find_mentions
from premotor_planners.task.naming import Names
from premotor_planners.task.speech import find_messages
from premotor_planners.task.vocabulary import vocabulary
from premotor_planners.task.words import Text, read_words


@dataclass(frozen=True)
class Reading:
    """What every reader of the instruction shares; `marked` holds the finds, `clauses` their order and kind.

    `muddled` when the speaker took something back and it is not plain what.
    """

    catalogue: Catalogue
    names: Names
    marked: Marked
    clauses: tuple[Clause, ...]
    muddled: bool = False


def read(task: str, catalogue: Catalogue) -> Reading:
    """Read a normalised task. Never fails: what is not understood is left unexplained for the later checks."""
    names, text, known = Names(catalogue), read_words(task), vocabulary()
    messages = find_messages(text, names)
    spoken = frozenset(i for m in messages for i in range(m.start, m.end))
    polite = _spans(text, known.polite) - spoken
    taken = spoken | polite | (_spans(text, known.manner) - spoken)
    durations = find_durations(text, taken)
    timed = frozenset(i for d in durations for i in range(d.start, d.end))
    mentions = find_mentions(text, names, taken | timed)
    dropped, muddled = corrected(text, [m for m in mentions if m.start not in spoken])
    taken |= dropped
    mentions = [m for m in mentions if m.start not in dropped]
    marked = Marked(text, mentions, messages, durations, polite, taken)
    return Reading(catalogue, names, marked, tuple(split_clauses(marked)), muddled)


def _spans(text: Text, pattern: re.Pattern[str]) -> frozenset[int]:
    return frozenset(i for start, end, _ in text.find(pattern) for i in range(start, end))
