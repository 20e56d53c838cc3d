"""A decomposition as text for the terminal."""

from __future__ import annotations

from premotor_planners.task.decomposition import Decomposition
from premotor_planners.task.plan import Step, step_args


def plan_text(decomposition: Decomposition) -> str:
    """The numbered steps and the plan's origin; or the one sentence that is asked or refused with."""
    plan = decomposition.plan
    if plan is None:
        return decomposition.message
    lines = [f"{number}. {_step_text(step)}" for number, step in enumerate(plan.steps, start=1)]
    return "\n".join([*lines, f"(plan by: {plan.origin}, model: {decomposition.model})"])


def _step_text(step: Step) -> str:
    arguments = ", ".join(f"{key}={value!r}" for key, value in step_args(step).items())
    return f"{step.skill}({arguments})"
