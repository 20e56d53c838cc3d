"""An instruction read once for everybody: names, messages, lengths of time and clauses."""

from __future__ import annotations

from dataclasses import dataclass, replace

from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.clauses import Clause, Marked, split_clauses
from premotor_planners.task.durations import find_durations
from premotor_planners.task.mentions import find_mentions
from premotor_planners.task.naming import Names
from premotor_planners.task.speech import find_messages
from premotor_planners.task.vocabulary import vocabulary
from premotor_planners.task.words import Text, read_words


@dataclass(frozen=True)
class Reading:
    """What every reader of the instruction shares; `marked` holds the finds, `clauses` their order and kind."""

    catalogue: Catalogue
    names: Names
    marked: Marked
    clauses: tuple[Clause, ...]


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
    marked = Marked(text, mentions, messages, durations, polite, taken)
    return Reading(catalogue, names, marked, tuple(split_clauses(marked)))


def without(reading: Reading, clause: Clause) -> Reading:
    """The same reading with one clause left out."""
    return replace(reading, clauses=tuple(other for other in reading.clauses if other is not clause))


def _spans(text: Text, pattern: object) -> frozenset[int]:
    return frozenset(i for start, end, _ in text.find(pattern) for i in range(start, end))  # type: ignore[arg-type]
