"""From a start and a goal to a route, a bounded piece at a time, or to one of Nav2's reasons why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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
from premotor_planners.motion.goal_guide import guide_of
from premotor_planners.motion.legs import outline_route
from premotor_planners.motion.rollouts import room_to_control_m
from premotor_planners.motion.route import Route
from premotor_planners.motion.route_making import Beside, Found, InPieces, Pieces, Routing, made
from premotor_planners.motion.state import Goal
from premotor_planners.planning.cost_grid import CostGrid
from premotor_planners.planning.outcome import Outcome, Plan, PlanCancelled, PlanFailure
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
_MOST_CELLS = 256 * 256
"""Of a map on which a piece of a route, and so a control period, is short: some 2 ms on one core at 2 GHz."""


@dataclass(frozen=True)
class GoalFields:
    """The kernel `cost_to_go` in the size of the map, compiled as `run`."""

    kernel: CostToGo
    run: Compiled


class Router:
    """Plans on `grid`, for a robot whose circle of `planning_radius_m` keeps free of obstacles at every heading.

    Where that circle does not get through and `footprint` is a polygon, the outline itself is planned for: with the
    room that the controller likes to have, else grown by as much as the circle is. For a polygon, and on a large map,
    this is done on a thread of its own, which calls `begin_worker` first; it is made at the first request. Raises
    MapError, FootprintError and BuildError as the planners do.
    """

    def __init__(
        self, fields: GoalFields, grid: OccupancyGrid, footprint: Footprint, planning_radius_m: float,
        begin_worker: Callable[[], object] | None = None,
    ) -> None:  # fmt: skip
        self.grid = grid
        self.grown = inflate(grid, planning_radius_m)
        self._fields = fields
        self._outlines = _outline_planners(grid, footprint, max(0.0, planning_radius_m - footprint.reach_m))
        escape_m = 0.0 if self._outlines else ESCAPE_M  # an outline is never moved out by a circle's rule
        self._circle = GlobalPlanner(
            _costs(grid, self.grown), PlannerSettings(escape_m=escape_m, max_planning_time_s=_CIRCLE_S)
        )
        self._beside = bool(self._outlines) or grid.data.size > _MOST_CELLS
        self._worker = ThreadPoolExecutor(1, "planner", begin_worker)

    def begin(self, start: Pose, goal: Goal) -> Routing:
        """A request; nothing is planned before its first `advance`. One at a time: give up the one before."""
        cancel = Cancel()
        pieces = self._pieces(start, goal, cancel)
        return Beside(self._worker, pieces, cancel) if self._beside else InPieces(pieces, cancel)

    def plan(self, start: Pose, goal: Goal) -> Found:
        """All at once."""
        return made(self._pieces(start, goal, Cancel()))

    def _pieces(self, start: Pose, goal: Goal, cancel: Cancel) -> Pieces:
        if cancel.is_set:
            return PlanCancelled()
        found = self._planned(start, goal, cancel)
        if not isinstance(found, Plan):
            return outline_route(goal, self.grid, found) if isinstance(found, Se2Plan) else found
        yield
        field = GoalField(self._fields.kernel, self._fields.run, self.grown, found.goal_cell)
        while not field.advance():
            yield
            if cancel.is_set:
                return PlanCancelled()
        yield
        return self._route(goal, found, field)

    def _planned(self, start: Pose, goal: Goal, cancel: Cancel) -> Outcome | Se2Plan:
        if not self._outlines:
            end = (goal.x, goal.y, goal.yaw or 0.0)
            return self._circle.plan(start, end, tolerance_m=goal.tolerance_m, cancel=cancel)
        yaw = math.atan2(goal.y - start[1], goal.x - start[0]) if goal.yaw is None else goal.yaw
        end = (goal.x, goal.y, yaw)
        found: Outcome | Se2Plan = PlanCancelled()
        for outline, seconds in zip(self._outlines, _OUTLINE_S, strict=True):
            found = plan_with_outline_where_needed(self._circle, outline, start, end, seconds, cancel)
            if not isinstance(found, PlanFailure):
                break
        return found

    def _route(self, goal: Goal, plan: Plan, field: GoalField) -> Route:
        costs_m = field.costs_m()
        guide = guide_of(goal, self.grown, costs_m)
        return Route(goal, self.grown, costs_m, guide, tuple((x, y) for x, y, _ in plan.poses))


def _outline_planners(grid: OccupancyGrid, footprint: Footprint, reserve_m: float) -> tuple[Se2Planner, ...]:
    """With the room that the controller likes to have, and for where there is no such way, with `reserve_m` alone."""
    if isinstance(footprint, Disc):
        return ()
    room_m = max(reserve_m, room_to_control_m(footprint, grid.resolution_m))
    return tuple(Se2Planner(grid, padded(footprint, each), _OUTLINE) for each in (room_m, reserve_m))


def _costs(grid: OccupancyGrid, grown: OccupancyGrid) -> CostGrid:
    values = np.where(grid.occupied, LETHAL, np.where(grown.occupied, INSCRIBED, FREE_SPACE)).astype(np.uint8)
    return CostGrid(values, grid.resolution_m, grid.origin_m)
