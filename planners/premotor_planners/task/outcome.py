"""What comes out when no plan does: a refusal with its reason, or a question; each one plain sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from premotor_planners.task.answers.answer import RefusalKind
from premotor_planners.task.catalogue import Catalogue

MOST_NAMED = 8
"""A sentence that lists what is known names at most this many."""


@dataclass(frozen=True)
class Refusal:
    """The task will not be carried out; `reason` is a sentence for a person, `what` the unknown thing if any.

    `misplaced`: the thing is known, but is not where the task says.
    """

    kind: RefusalKind
    reason: str
    what: str = ""
    misplaced: bool = False


@dataclass(frozen=True)
class Question:
    """The task needs an answer first; `candidates` are the entries it could mean, in catalogue order (may be empty)."""

    text: str
    candidates: tuple[str, ...] = ()


Problem: TypeAlias = Refusal | Question


def which(candidates: Sequence[str]) -> Question:
    """`Which mug, red or blue?` when the names share their last words, else `Do you mean the sofa or the bed?`."""
    split = [name.split() for name in candidates]
    shared = split[0][-1]
    if all(len(words) > 1 and words[-1] == shared for words in split):
        return Question(f"Which {shared}, {_or([' '.join(words[:-1]) for words in split])}?", tuple(candidates))
    return Question(f"Do you mean {_or([f'the {name}' for name in candidates])}?", tuple(candidates))


def unknown(what: str, catalogue: Catalogue, kind: str = "object") -> Refusal:
    """`There is no piano here; I know …`, with the names of that kind (object, place or person)."""
    names = {
        "object": tuple(catalogue.objects),
        "place": (*catalogue.rooms, *catalogue.places),
        "person": tuple(name for name in catalogue.people if name != "user"),
    }[kind]
    more = " and more" if len(names) > MOST_NAMED else ""
    known = f"; I know {', '.join(names[:MOST_NAMED])}{more}" if names else ""
    article = "nobody called " if kind == "person" else "no "
    return Refusal("unknown", f"There is {article}{what} here{known}.", what)


def not_there(what: str, where: str) -> Refusal:
    """A thing that is known, but not where the task says."""
    return Refusal("unknown", f"There is no {what} at the {where}.", what, misplaced=True)


def unsupported(what: str) -> Refusal:
    """Something that no skill does; `what` completes `I cannot …`."""
    return Refusal("unsupported", f"I cannot {what}; I can go, carry, give, say, wait, look and charge.")


def unsafe(why: str) -> Refusal:
    """A hazard; `why` completes `I will not do that: …`."""
    return Refusal("unsafe", f"I will not do that: {why}.")


def unclear(
    sentence: str = "I do not understand what to do; tell me what to take, where to go or what to say.",
) -> Refusal:
    """No intelligible task."""
    return Refusal("unclear", sentence)


def _or(names: Sequence[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
