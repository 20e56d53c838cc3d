"""The true outline where the circle around it does not get through."""

from __future__ import annotations

from typing import Protocol

from premotor_planners.planning.outcome import Outcome, Plan, PlanCancelled, PlanError, PlanFailure
from premotor_planners.planning.stopping import Allowance, Cancel
from premotor_planners.se2.planner import Se2Outcome, Se2Planner
from premotor_planners.world.model import Pose

_CIRCLE_FAILED = (PlanError.START_OCCUPIED, PlanError.GOAL_OCCUPIED, PlanError.NO_VALID_PATH)


class CirclePlanner(Protocol):
    """Such as `GlobalPlanner` on a map grown by the outline's reach, which is sure to be free at every heading."""

    def plan(
        self, start: Pose, goal: Pose, *, tolerance_m: float | None = None, budget_s: float | None = None,
        cancel: Cancel | None = None,
    ) -> Outcome:  # fmt: skip
        """A plan for a point, or why there is none."""
        ...


def plan_with_outline_where_needed(
    circle: CirclePlanner,
    outline: Se2Planner,
    start: Pose,
    goal: Pose,
    budget_s: float = 5.0,
    cancel: Cancel | None = None,
) -> Plan | Se2Outcome:
    """The circle's plan where it reaches the goal exactly, else the outline's; both within one budget.

    Raises ValueError for a budget below 0.
    """
    allowance = Allowance(budget_s, cancel)
    first = circle.plan(start, goal, tolerance_m=0.0, budget_s=budget_s, cancel=cancel)
    if isinstance(first, Plan | PlanCancelled) or first.code not in _CIRCLE_FAILED:
        return first
    left_s = budget_s if allowance.left_ns < 0 else allowance.left_ns * 1e-9
    return outline.plan(start, goal, budget_s=left_s, cancel=cancel)


__all__ = ["CirclePlanner", "PlanFailure", "plan_with_outline_where_needed"]
