"""Words of a task clause that nothing explains: unknown things, names, verbs. They keep a plan from being executed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from premotor_planners.task.guards.dangers import harmful_verbs
from premotor_planners.task.lexicon.vocabulary import vocabulary
from premotor_planners.task.outcome import Problem, unclear, unknown, unsupported
from premotor_planners.task.reading.clauses import Clause, Marked
from premotor_planners.task.reading.reading import Reading
from premotor_planners.task.reading.verbs import is_verb

LeftoverKind = Literal["object", "place", "person", "verb", "purpose", "manner"]
_PLACE_WORDS = frozenset(
    {"to", "into", "onto", "in", "on", "at", "towards", "toward", "from", "inside", "under", "off", "by", "near"}
)
_ARTICLES = frozenset({"the", "a", "an", "my", "your", "our"})
_HESITATIONS = frozenset({"uh", "um", "uhm", "er", "erm", "hmm", "hm", "mm", "mhm", ",", "-"})
_NO_NOUN = frozenset({"", ".", "!", "?", "what", "who", "which", "whatever"})


@dataclass(frozen=True)
class Leftover:
    """Unexplained words start..end; what they seem to be, from where they stand."""

    start: int
    end: int
    kind: LeftoverKind
    words: str


def leftovers(clause: Clause, marked: Marked) -> list[Leftover]:
    """Unexplained words of the clause, neighbours together."""
    found: list[Leftover] = []
    for start, end in _runs([i for i in clause.indexes if _unexplained(i, clause, marked)], marked):
        found.append(Leftover(start, end, _kind(start, end, clause, marked), marked.text.slice(start, end)))
    return found


def problem_of(left: Leftover, reading: Reading) -> Problem | None:
    """The refusal that an unexplained word leads to; None where it may be ignored (manner, purpose)."""
    if left.kind in ("manner", "purpose"):
        return None
    if left.kind == "verb" and len(left.words.split()) > 1:
        return unclear()
    if left.kind == "verb":
        return unsupported(left.words.casefold())
    return unknown(left.words, reading.catalogue, left.kind)


def first_problem(clauses: Sequence[Clause], reading: Reading) -> Problem | None:
    """The first refusal among the leftovers of task clauses and fragments."""
    for clause in clauses:
        if clause.kind in ("task", "fragment"):
            if missing := _missing_name(clause, reading.marked):
                return unclear(f"The name after `{missing}` is missing; say which thing, place or person is meant.")
            for left in leftovers(clause, reading.marked):
                problem = problem_of(left, reading)
                if problem:
                    return problem
    return None


def names_a_stranger(reading: Reading) -> bool:
    """Whether a task names a place or a person that is not here, or a verb of harm: without it, it is another task."""
    asked = [clause for clause in reading.clauses if clause.kind in ("task", "fragment")]
    found = [left for clause in asked for left in leftovers(clause, reading.marked)]
    harm = any(reading.marked.word(i) in harmful_verbs() for left in found for i in range(left.start, left.end))
    return harm or bool({left.kind for left in found} & {"place", "person"})


def _missing_name(clause: Clause, marked: Marked) -> str:
    """The article that no noun follows (`bring me the uh`, `the what is it called`); empty where there is none."""
    for index in clause.indexes:
        if marked.word(index) in _ARTICLES and marked.mention_at(index) is None:
            after = index + 1
            while marked.word(after) in _HESITATIONS:
                after += 1
            if marked.word(after) in _NO_NOUN:
                return marked.word(index)
    return ""


def _unexplained(index: int, clause: Clause, marked: Marked) -> bool:
    known = vocabulary()
    word = marked.word(index)
    if any(m.phrase_start <= index < m.end for m in marked.mentions):
        return False
    if any(d.start <= index < d.end for d in marked.durations):
        return False
    if any(v.index == index or index in v.particle_words for v in clause.verbs):
        return False
    if known.is_one_of(word, "adjectives", "colors"):
        particles = {i for verb in clause.verbs for i in verb.particle_words}
        return index + 1 not in particles and _stands_for_noun(index, marked)
    if known.is_function(word):
        return False
    return not (word.endswith("'") or word in ("-", "'", "/"))


def _stands_for_noun(index: int, marked: Marked) -> bool:
    """`the glass` is a thing; `nice and easy` is not."""
    known = vocabulary()
    before, after = marked.word(index - 1), marked.word(index + 1)
    noun_follows = marked.mention_at(index + 1) is not None or (
        not known.is_function(after) and after not in ("", ",", ".", "!", "?")
    )
    return (
        known.is_one_of(before, "determiners")
        and before not in ("this", "that", "all")
        and not noun_follows
        and after not in ("one", "ones", "thing", "and", "spot", "place", "side", "way", "time", "moment")
    )


def _runs(indexes: Sequence[int], marked: Marked) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for index in indexes:
        if runs and runs[-1][1] == index and marked.word(index) != ",":
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return runs


def _kind(start: int, end: int, clause: Clause, marked: Marked) -> LeftoverKind:
    known = vocabulary()
    index = start - 1
    determined = marked.text.words[index].possessive if index >= 0 else False
    while index in clause.indexes and known.is_one_of(marked.word(index), "determiners", "adjectives", "colors"):
        determined = determined or known.is_one_of(marked.word(index), "determiners")
        index -= 1
    before = marked.word(index) if index in clause.indexes else ""
    if before == "for" and _has_more(clause, marked, start):
        return "purpose"
    if before in _PLACE_WORDS or (before == "of" and marked.word(index - 1) == "out"):
        return "person" if marked.text.words[start].capital and not determined else "place"
    if determined:
        return "object"
    if marked.text.words[start].capital:
        return "person"
    if marked.word(start).endswith("ly"):
        return "manner"
    return "verb" if _verb_position(start, clause, marked) else "object"


def _has_more(clause: Clause, marked: Marked, start: int) -> bool:
    """`for breakfast`: a purpose when the clause already says what goes where (two names or a receiver)."""
    named = [m for m in marked.mentions if m.start in clause.indexes]
    receiver = any(marked.word(i) in ("me", "us", "here", "him", "her") for i in clause.indexes)
    return len(named) + receiver >= 2


def _verb_position(start: int, clause: Clause, marked: Marked) -> bool:
    """First word of the clause (light words apart), or after `to`, `and`, `please`, `you`."""
    known = vocabulary()
    before = [
        i
        for i in clause.indexes
        if i < start and not known.is_one_of(marked.word(i), "fillers") and marked.word(i) not in ("and", "then", ",")
    ]
    return not before or (
        marked.word(start - 1) in ("to", "and", "please", "you", "then", "not") and not is_verb(start - 1, marked)
    )


def nothing_to_do(reading: Reading) -> Problem:
    """No clause asks for anything."""
    questions = any(clause.kind == "question" for clause in reading.clauses)
    if questions:
        return unclear("I cannot answer questions; tell me what to take, where to go or what to say.")
    return unclear()
