"""An instruction read once for everybody: names, messages, lengths of time and clauses."""

from __future__ import annotations

import re
from dataclasses import dataclass

from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.lexicon.durations import find_durations
from premotor_planners.task.lexicon.vocabulary import vocabulary
from premotor_planners.task.lexicon.words import Text, read_words
from premotor_planners.task.reading.clause_kinds import kind_of
from premotor_planners.task.reading.clauses import Clause, Marked
from premotor_planners.task.reading.corrections import corrected
from premotor_planners.task.reading.mentions import find_mentions
from premotor_planners.task.reading.naming import Names
from premotor_planners.task.reading.speech import find_messages
from premotor_planners.task.reading.splitting import cut
from premotor_planners.task.reading.verbs import find_verbs


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

    @property
    def asking(self) -> tuple[Clause, ...]:
        """The clauses that want something done."""
        return tuple(clause for clause in self.clauses if clause.asks)


def read(task: str, catalogue: Catalogue) -> Reading:
    """Read a normalised task. Never fails: what is not understood is left unexplained for the later checks."""
    names = Names(catalogue)
    marked, muddled = _mark(read_words(task), names)
    clauses = [clause for clause in cut(marked) if clause.indexes or clause.messages]
    for clause in clauses:
        clause.verbs = find_verbs(clause, marked)
        clause.kind = kind_of(clause, marked)
    return Reading(catalogue, names, marked, tuple(clauses), muddled)


def _mark(text: Text, names: Names) -> tuple[Marked, bool]:
    known = vocabulary()
    messages = find_messages(text, names)
    spoken = frozenset(i for m in messages for i in range(m.start, m.end))
    named = _named(text, names)
    asides = _spans(text, known.asides) - spoken - named
    polite = _spans(text, known.polite) - spoken - named - asides
    taken = spoken | polite | asides | (_spans(text, known.manner) - spoken - named)
    durations = find_durations(text, taken)
    timed = frozenset(i for d in durations for i in range(d.start, d.end))
    mentions = find_mentions(text, names, taken | timed)
    dropped, muddled = corrected(text, mentions)
    left = [mention for mention in mentions if mention.start not in dropped]
    return Marked(text, left, messages, durations, polite, taken | dropped), muddled


def _named(text: Text, names: Names) -> frozenset[int]:
    """Words inside a name of several words: the `machine` of a coffee machine is no form of address."""
    words = [word.norm for word in text.words]
    return frozenset(
        i
        for start in range(len(words))
        for length in range(2, min(names.longest, len(words) - start) + 1)
        if names.match(tuple(words[start : start + length]))[0]
        for i in range(start, start + length)
    )


def _spans(text: Text, pattern: re.Pattern[str]) -> frozenset[int]:
    return frozenset(i for start, end, _ in text.find(pattern) for i in range(start, end))
