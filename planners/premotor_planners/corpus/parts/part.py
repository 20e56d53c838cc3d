"""What a part is: one clause of an instruction, with its meaning."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_planners.task.answers.answer import Answer, CompactStep


@dataclass(frozen=True)
class Part:
    """A clause: `steps` when it can be done, else `problem`. `literals` must be found in the text word for word."""

    text: str
    intent: str
    imperative: bool
    steps: tuple[CompactStep, ...] = ()
    problem: Answer | None = None
    literals: tuple[str, ...] = ()
