"""The safety layer: a plan that is executed must be the plan that was meant.

Both ways: whatever a plan chooses (object, place, person, text, time, skill) needs words of the instruction that ask
for it, and whatever the instruction names in a task clause must be used by some step. Exclusions exclude, a definite
name that fits several entries is a question, stated locations must be true, and the order of the steps follows the
words and their connectives. Judged on the compact steps; no model takes part.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from premotor_planners.task.answer import CompactStep
from premotor_planners.task.capability import beyond_skills, is_unknown_verb
from premotor_planners.task.coverage import Coverage
from premotor_planners.task.founding import Founding
from premotor_planners.task.keeping import unfounded_holds
from premotor_planners.task.leftovers import first_problem
from premotor_planners.task.naming import SPEAKER
from premotor_planners.task.negations import excluded_names
from premotor_planners.task.ordering import ranks
from premotor_planners.task.outcome import Problem, unclear
from premotor_planners.task.pairing import go_together
from premotor_planners.task.reading import Reading
from premotor_planners.task.references import References
from premotor_planners.task.rules import prohibitions
from premotor_planners.task.transfers import transfers

SECONDS_TOLERANCE = 0.5
_IS_WHERE = re.compile(r" is where (?:you|i (?:want|need|would like) you) ")
_SPEAKING = frozenset((
    "say", "tell", "word", "words", "announce", "know", "heard", "hear", "news", "message", "inform", "ask",
    "remind", "request", "pass", "speak", "voice", "shout", "mention", "report", "warn", "alert", "let",
    "advise", "explain", "declare", "repeat", "call", "loud", "aloud",
))  # fmt: skip
"""Without any of these, no words of an instruction are there to be said."""


@dataclass(frozen=True)
class Doubt:
    """One thing that speaks against a plan; `problem` is what to tell the person if nothing better is found.

    A mild doubt says only that a word is unknown or that no known verb asks for a step whose name was mentioned: a
    model that is sure of its plan may overrule it. Every other doubt stands.
    """

    about: str
    problem: Problem
    mild: bool = False


def doubts(steps: Sequence[CompactStep], reading: Reading) -> list[Doubt]:
    """Everything in which plan and instruction disagree; empty when the plan may be carried out."""
    references = References(reading)
    founding = Founding(references)
    left = first_problem(reading.clauses, reading)
    found = [Doubt("words nothing explains", left, mild=True)] if left else []
    beyond = beyond_skills(reading)
    found += [Doubt("no skill does that", beyond, mild=is_unknown_verb(beyond, reading))] if beyond else []
    if reading.muddled:
        found.append(_doubt("something was taken back"))
    found += [Doubt(about, problem) for about, problem in (*references.unsettled(), *references.alternatives())]
    found += _unfounded(steps, reading, founding)
    found += [_doubt(f"the plan leaves out {words}") for words in Coverage(references, steps).unused()]
    found += [_doubt(f"what to do with the {name}") for name in unfounded_holds(steps, references, founding)]
    found += _where(steps, reading)
    found += _waits(steps, reading)
    found += _speech(steps, reading)
    found += _order(steps, reading, founding)
    found += _pairs(steps, references, founding)
    return found


def _doubt(about: str) -> Doubt:
    return Doubt(about, unclear(f"I am not sure what you mean ({about}); say it in other words."))


def _unfounded(steps: Sequence[CompactStep], reading: Reading, founding: Founding) -> list[Doubt]:
    """Choices that no word asks for."""
    prohibited, excluded = prohibitions(reading), excluded_names(reading)
    found = []
    for step in steps:
        if (step.skill, step.name) in prohibited:
            found.append(_doubt(f"you said not to {step.skill} {step.name}"))
        elif step.name in excluded and step.skill != "say":
            found.append(_doubt(f"you seem to exclude {step.name}"))
        elif step.skill not in ("say", "wait") and not founding.founds(step):
            about = f"nothing in the task asks to {step.skill} {step.name}".strip()
            found.append(replace(_doubt(about), mild=_is_mentioned(step, reading, founding.references.excluded)))
    return found


def _is_mentioned(step: CompactStep, reading: Reading, excluded: Collection[str]) -> bool:
    """Whether the name (or, for a place, its room) stands in the instruction at all; "me" and the dock need no name."""
    if step.skill == "dock" or step.name == SPEAKER:
        return True
    wanted = {step.name, reading.catalogue.places.get(step.name, step.name)}
    named = {name for mention in reading.marked.mentions for name in mention.candidates if not mention.strange}
    return bool(wanted & named) and step.name not in excluded


def _where(steps: Sequence[CompactStep], reading: Reading) -> list[Doubt]:
    """`the sofa is where you should go`: a place that is only stated is meant, when a clause with `where` follows."""
    if not _IS_WHERE.search(reading.marked.text.joined):
        return []
    places = reading.catalogue.places
    used = {step.name for step in steps} | {places.get(step.name, "") for step in steps}
    found = []
    for stated, clause in pairwise(reading.clauses):
        if clause.connective == "where" and stated.kind == "background":
            meant = [m for m in reading.marked.mentions if m.start in stated.indexes and m.kind in ("place", "room")]
            found += [_doubt(f"the plan leaves out {m.candidates[0]}") for m in meant if not used & set(m.candidates)]
    return found


def _waits(steps: Sequence[CompactStep], reading: Reading) -> list[Doubt]:
    wanted = sorted(
        duration.seconds or 0.0
        for clause in reading.clauses
        if clause.asks
        for duration in reading.marked.durations
        if duration.start in clause.indexes
    )
    planned = sorted(step.duration_s for step in steps if step.skill == "wait")
    same = len(wanted) == len(planned) and all(
        abs(a - b) <= SECONDS_TOLERANCE for a, b in zip(wanted, planned, strict=True)
    )
    if same:
        return []
    times = [duration.seconds or 0.0 for duration in reading.marked.durations]
    told = bool(planned) and not wanted and all(any(abs(t - p) <= SECONDS_TOLERANCE for t in times) for p in planned)
    return [replace(_doubt("the waiting times differ" if planned and wanted else "the waiting time"), mild=told)]


def _speech(steps: Sequence[CompactStep], reading: Reading) -> list[Doubt]:
    """Every message is said once, in its words, to its hearer, and nothing else is said."""
    messages = [
        heard
        for clause in reading.clauses
        if clause.kind == "task"
        for m in clause.messages
        for heard in (m, *(replace(m, hearer=name, known=True) for name in m.also))
    ]
    said = [(index, step) for index, step in enumerate(steps) if step.skill == "say"]
    if len(messages) != len(said):
        literal = (
            bool(said) and not messages and all(_stands_in(step.name, reading.marked.text.raw) for _, step in said)
        )
        return [replace(_doubt("what should be said"), mild=literal)]
    found = []
    for message, (index, step) in zip(messages, said, strict=True):
        if _plain(message.text) != _plain(step.name):
            shorter = _stands_in(step.name, message.text)
            found.append(replace(_doubt(f"the words to say are `{message.text}`"), mild=shorter))
        if (
            message.known
            and message.hearer in reading.catalogue.people
            and _stands_with(steps[:index]) != message.hearer
        ):
            found.append(_doubt(f"the words are for {message.hearer}"))
        if message.location and _stands_at(steps[:index]) != message.location:
            found.append(_doubt(f"the words are to be said in the {message.location}"))
    return found


def _stands_in(words: str, text: str) -> bool:
    return " ".join(_plain(words)) in " ".join(_plain(text))


def _plain(text: str) -> list[str]:
    """Words for comparison: no marks, no case, no leading `that` or `to`, no trailing politeness."""
    words = "".join(c if c.isalnum() or c in "' " else " " for c in text.casefold().replace("’", "'")).split()
    while words[:1] and words[0] in ("that", "to", "if", "whether", "about", "a", "the"):
        words = words[1:]
    while words[-1:] == ["please"]:
        words = words[:-1]
    return words


def _stands_with(before: Sequence[CompactStep]) -> str:
    """The person beside whom the robot stands after these steps."""
    for step in reversed(before):
        if step.skill in ("go", "give"):
            return step.name
        if step.skill in ("pick", "place", "inspect", "dock"):
            return ""
    return ""


def _stands_at(before: Sequence[CompactStep]) -> str:
    return next((step.name for step in reversed(before) if step.skill in ("go", "place", "inspect", "give")), "")


def _order(steps: Sequence[CompactStep], reading: Reading, founding: Founding) -> list[Doubt]:
    """The steps follow the ranks of the clauses that ask for them."""
    order = ranks(reading.clauses)
    current = float("-inf")
    for step in steps:
        possible = sorted(order[index] for index in founding.asking(step))
        if not possible:
            continue
        later = [rank for rank in possible if rank >= current]
        if not later:
            return [_doubt(f"{step.skill} {step.name} comes too late or too early".replace("  ", " "))]
        current = later[0]
    return []


def _pairs(steps: Sequence[CompactStep], references: References, founding: Founding) -> list[Doubt]:
    """Each object goes where its own clause says."""
    moved = transfers(steps, references.catalogue.holding)
    apart = [name for name, step in moved if not go_together(name, step, references, founding)]
    return [_doubt(f"where the {name} should go") for name in apart]
