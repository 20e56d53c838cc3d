"""The global planner: one map, prepared once, and plans on it."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from premotor_planners.planning.cost_grid import Costs, check_costs, factors, passable
from premotor_planners.planning.ends import EndFinder, Ends, stopped
from premotor_planners.planning.frame import Frame
from premotor_planners.planning.framed_pose import FramedPose, in_map
from premotor_planners.planning.outcome import Outcome, Plan, PlanCancelled, PlanFailure
from premotor_planners.planning.search_map import CellPath, SearchMap, Unfound
from premotor_planners.planning.settings import PlannerSettings
from premotor_planners.planning.stopping import Allowance, Cancel
from premotor_planners.planning.way import length_m, points_of, poses_of
from premotor_planners.world.model import Pose


class GlobalPlanner:
    """Plans for the robot's centre on `costs`: cells below 253 are free, and so are unknown ones if allowed.

    One plan or renewal at a time: another thread waits, and its budget runs. Raises MapError for a grid that is none,
    BuildError where the native library cannot be built.
    """

    def __init__(self, costs: Costs, settings: PlannerSettings | None = None) -> None:
        self.settings = settings or PlannerSettings()
        self._frame = _frame(costs)
        self._search = SearchMap(*self._cells())
        self._one_at_a_time = threading.Lock()

    @property
    def search_map(self) -> SearchMap:
        """What is searched."""
        return self._search

    def renew(self, costs: Costs) -> int:
        """Take up another content; what follows from unchanged cells is kept where the cells are the same.

        Returns how many cells became free or ceased to be (all, for other cells). Raises MapError, keeping the old.
        """
        frame = _frame(costs)
        with self._one_at_a_time:
            same, self._frame = frame.same_lattice(self._frame), frame
            if same:
                return self._search.renew(*self._cells())
            self._search = SearchMap(*self._cells())
            return frame.costs.size

    def plan(
        self, start: Pose, goal: Pose, *, tolerance_m: float | None = None, budget_s: float | None = None,
        cancel: Cancel | None = None,
    ) -> Outcome:  # fmt: skip
        """A plan between two poses in `map`, or why there is none; equal requests give equal plans.

        `tolerance_m` and `budget_s` stand in for the settings' `tolerance_m` and `max_planning_time_s`; both and
        `cancel` are looked at every fraction of a millisecond. Raises ValueError for ones below 0 or not a number.
        """
        within = self.settings.tolerance_m if tolerance_m is None else tolerance_m
        if not within >= 0:
            raise ValueError(f"tolerance_m is {within}; it must be 0 or more")
        allowance = Allowance(self.settings.max_planning_time_s if budget_s is None else budget_s, cancel)
        with self._one_at_a_time:
            ends = EndFinder(self._search, self._frame, self.settings).find(start, goal, within, allowance)
            if not isinstance(ends, Ends):
                return ends
            found = self._search.search(ends.start, ends.goal, allowance)
            if isinstance(found, Unfound):
                return stopped(found, allowance)
            return self._plan(start, goal, ends, found, allowance)

    def plan_framed(
        self, start: FramedPose, goal: FramedPose, frames: Mapping[str, Pose] | None = None, *,
        tolerance_m: float | None = None, budget_s: float | None = None, cancel: Cancel | None = None,
    ) -> Outcome:  # fmt: skip
        """As `plan`, for poses in frames whose poses in `map` are in `frames`; TF_ERROR for another frame."""
        first, last = in_map(start, frames), in_map(goal, frames)
        if isinstance(first, PlanFailure):
            return first
        if isinstance(last, PlanFailure):
            return last
        return self.plan(first, last, tolerance_m=tolerance_m, budget_s=budget_s, cancel=cancel)

    def _cells(self) -> tuple[NDArray[np.bool_], NDArray[np.int32] | None]:
        costs, settings = self._frame.costs, self.settings
        weighed = factors(costs, settings.cost_weight) if settings.mode == "cost_aware" else None
        return passable(costs, settings.allow_unknown), weighed

    def _plan(self, start: Pose, goal: Pose, ends: Ends, found: CellPath, allowance: Allowance) -> Plan | PlanCancelled:
        frame = self._frame
        points = points_of(start, goal, ends, found.cells, frame)
        if self.settings.straighten:
            kept = self._search.shortened(points, allowance)
            if kept is Unfound.CANCELLED:
                return PlanCancelled()
            if not isinstance(kept, Unfound):  # out of time: the way as it was found is as good, only longer
                points = points[kept]
        poses = poses_of(start, goal, ends, points, frame)
        cost_m = found.cost * frame.resolution_m
        return Plan(poses, found.cells, cost_m, length_m(poses), ends.goal, ends.exact)


def _frame(costs: Costs) -> Frame:
    check_costs(costs)
    return Frame(np.array(costs.costs), float(costs.resolution_m), (float(costs.origin_m[0]), float(costs.origin_m[1])))
