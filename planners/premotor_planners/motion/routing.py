"""From a start and a goal to a route, a bounded piece at a time, or to one of Nav2's reasons why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError
from dataclasses import dataclass

import numpy as np

from premotor_planners.costmap.footprint import padded
from premotor_planners.costmap.values import FREE_SPACE, INSCRIBED, LETHAL
from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.tensor import Compiled
from premotor_planners.maps.distance import inflate
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.motion.footprint import Disc, Footprint
from premotor_planners.motion.goal_field import GoalField
from premotor_planners.motion.legs import outline_route
from premotor_planners.motion.rollouts import room_to_control_m
from premotor_planners.motion.route import Route
from premotor_planners.motion.state import Goal
from premotor_planners.planning.cost_grid import CostGrid
from premotor_planners.planning.outcome import Plan, PlanCancelled, PlanFailure
from premotor_planners.planning.planner import GlobalPlanner
from premotor_planners.planning.settings import PlannerSettings
from premotor_planners.planning.stopping import Cancel
from premotor_planners.se2.fallback import plan_with_outline_where_needed
from premotor_planners.se2.planner import Se2Plan, Se2Planner
from premotor_planners.se2.settings import Se2Settings
from premotor_planners.world.model import Pose

ESCAPE_M = 0.25
"""How far from the nearest free cell a start may stand in a grown obstacle; the path then begins with that step."""
_CIRCLE_S = 1.0
"""A bound against being held up, the robot standing; on the map of a house a plan takes a tenth of a millisecond."""
_OUTLINE_S = (2.0, 5.0)
"""For the outline with the room that the controller likes, and for the outline that must not touch."""
_OUTLINE = Se2Settings(turn_in_place=True)
_LOOK_S = 0.001
"""How long a look at a plan that is made beside the control loop may take."""
Planned = Plan | Route | PlanFailure | PlanCancelled


@dataclass(frozen=True)
class GoalFields:
    """The kernel `cost_to_go` in the size of the map, compiled as `run`."""

    kernel: CostToGo
    run: Compiled


class Router:
    """Plans on `grid`, for a robot whose circle of `planning_radius_m` keeps free of obstacles at every heading.

    Where that circle does not get through and `footprint` is a polygon, the outline itself is planned for: with the
    room that the controller likes to have, else grown by as much as the circle is. Raises MapError, FootprintError and
    BuildError as the planners do.
    """

    def __init__(self, fields: GoalFields, grid: OccupancyGrid, footprint: Footprint, planning_radius_m: float) -> None:
        self.grid = grid
        self.grown = inflate(grid, planning_radius_m)
        self._fields = fields
        self._outlines = _outline_planners(grid, footprint, max(0.0, planning_radius_m - footprint.reach_m))
        escape_m = 0.0 if self._outlines else ESCAPE_M  # an outline is never moved out by a circle's rule
        self._circle = GlobalPlanner(
            _costs(grid, self.grown), PlannerSettings(escape_m=escape_m, max_planning_time_s=_CIRCLE_S)
        )
        self._worker = ThreadPoolExecutor(1, "outline planner")

    def begin(self, start: Pose, goal: Goal) -> Routing:
        """A request; nothing is planned before its first `advance`. One at a time: give up the one before."""
        return Routing(self._planning(start, goal), self._field, goal, self.grown)

    def plan(self, start: Pose, goal: Goal) -> Route | PlanFailure | PlanCancelled:
        """All at once."""
        routing = self.begin(start, goal)
        while (found := routing.advance()) is None:
            pass
        return found

    def _planning(self, start: Pose, goal: Goal) -> _Planning:
        if not self._outlines:
            end = (goal.x, goal.y, goal.yaw or 0.0)
            return _AtOnce(lambda: self._circle.plan(start, end, tolerance_m=goal.tolerance_m))
        cancel = Cancel()
        return _Beside(self._worker, cancel, lambda: self._outlined(start, goal, cancel))

    def _outlined(self, start: Pose, goal: Goal, cancel: Cancel) -> Planned:
        yaw = math.atan2(goal.y - start[1], goal.x - start[0]) if goal.yaw is None else goal.yaw
        end = (goal.x, goal.y, yaw)
        found: Plan | Se2Plan | PlanFailure | PlanCancelled = PlanCancelled()
        for outline, seconds in zip(self._outlines, _OUTLINE_S, strict=True):
            found = plan_with_outline_where_needed(self._circle, outline, start, end, seconds, cancel)
            if not isinstance(found, PlanFailure):
                break
        return outline_route(goal, self.grid, found) if isinstance(found, Se2Plan) else found

    def _field(self, plan: Plan) -> GoalField:
        return GoalField(self._fields.kernel, self._fields.run, self.grown, plan.goal_cell)


class Routing:
    """One request for a route, carried on by `advance`."""

    def __init__(
        self, planning: _Planning, field_of: Callable[[Plan], GoalField], goal: Goal, grown: OccupancyGrid
    ) -> None:
        self._planning, self._field_of, self._goal, self._grown = planning, field_of, goal, grown
        self._begun: tuple[Plan, GoalField] | None = None

    def advance(self) -> Route | PlanFailure | PlanCancelled | None:
        """One piece of the work, some milliseconds at most; None while there is more to do."""
        if self._begun is not None:
            plan, field = self._begun
            return self._route(plan, field) if field.advance() else None
        found = self._planning.found()
        if not isinstance(found, Plan):
            return found
        self._begun = found, self._field_of(found)
        return None

    def give_up(self) -> None:
        """The route is no longer wanted."""
        self._planning.give_up()

    def _route(self, plan: Plan, field: GoalField) -> Route:
        path = tuple((x, y) for x, y, _ in plan.poses)
        return Route(self._goal, self._grown, field.costs_m(), path)


class _Planning:
    """A plan that is being made."""

    def found(self) -> Planned | None:
        """What it came to, None as long as it has not."""
        raise NotImplementedError

    def give_up(self) -> None:
        """It is no longer wanted."""


class _AtOnce(_Planning):
    def __init__(self, make: Callable[[], Planned]) -> None:
        self._make = make

    def found(self) -> Planned | None:
        return self._make()


class _Beside(_Planning):
    """On another thread, which the native search leaves the interpreter to: the control loop goes on meanwhile."""

    def __init__(self, worker: ThreadPoolExecutor, cancel: Cancel, make: Callable[[], Planned]) -> None:
        self._worker, self._cancel, self._make = worker, cancel, make
        self._future: Future[Planned] | None = None

    def found(self) -> Planned | None:
        if self._future is None:
            self._future = self._worker.submit(self._make)
        try:
            return self._future.result(_LOOK_S)
        except TimeoutError:
            return None

    def give_up(self) -> None:
        self._cancel.set()


def _outline_planners(grid: OccupancyGrid, footprint: Footprint, reserve_m: float) -> tuple[Se2Planner, ...]:
    """With the room that the controller likes to have, and for where there is no such way, with `reserve_m` alone."""
    if isinstance(footprint, Disc):
        return ()
    room_m = max(reserve_m, room_to_control_m(footprint, grid.resolution_m))
    return tuple(Se2Planner(grid, padded(footprint, each), _OUTLINE) for each in (room_m, reserve_m))


def _costs(grid: OccupancyGrid, grown: OccupancyGrid) -> CostGrid:
    values = np.where(grid.occupied, LETHAL, np.where(grown.occupied, INSCRIBED, FREE_SPACE)).astype(np.uint8)
    return CostGrid(values, grid.resolution_m, grid.origin_m)
