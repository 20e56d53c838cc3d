"""What speaks against a plan."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_planners.task.outcome import Problem, unclear


@dataclass(frozen=True)
class Doubt:
    """One thing that speaks against a plan; `problem` is what to tell the person if nothing better is found.

    A mild doubt says only that a word is unknown or that no known verb asks for a step whose name was mentioned: a
    model that is sure of its plan may overrule it. Every other doubt stands.
    """

    about: str
    problem: Problem
    mild: bool = False


def doubt(about: str) -> Doubt:
    """A doubt that stands, with the sentence for the person."""
    return Doubt(about, unclear(f"I am not sure what you mean ({about}); say it in other words."))
