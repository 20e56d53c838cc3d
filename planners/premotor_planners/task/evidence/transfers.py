"""Which object a compact plan puts where: each place or give with the object held at that moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from premotor_planners.task.answers.answer import CompactStep


def transfers(steps: Sequence[CompactStep], holding: str | None) -> Iterator[tuple[str, CompactStep]]:
    """(object, the step that lets it go) in order; steps with an empty gripper give nothing."""
    for step in steps:
        if step.skill == "pick":
            holding = step.name
        elif step.skill in ("place", "give") and holding:
            yield holding, step
            holding = None
