"""From a start and a goal to a route, or to one of Nav2's reasons why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.tensor import Compiled, Field
from premotor_planners.maps.distance import inflate
from premotor_planners.maps.grid import Cell, OccupancyGrid
from premotor_planners.maps.supercover import Point
from premotor_planners.motion.goal_field import GoalField
from premotor_planners.motion.path import descend, length_m, nearest_free, smoothed
from premotor_planners.motion.state import Goal
from premotor_planners.world.model import Pose

ESCAPE_M = 0.25
"""How far from the nearest free cell a start may stand in a grown obstacle; the path then begins with that step."""


class RouteError(IntEnum):
    """Why there is no route; the numbers of nav2_msgs/action/ComputePathToPose."""

    START_OUTSIDE_MAP = 203
    GOAL_OUTSIDE_MAP = 204
    START_OCCUPIED = 205
    GOAL_OCCUPIED = 206
    NO_VALID_PATH = 208


@dataclass(frozen=True)
class RouteFailure:
    """No route, and a sentence with the reason."""

    code: RouteError
    reason: str


@dataclass(frozen=True, eq=False)
class Route:
    """A goal, the distances to it (metres, inf where not reached), and the path (x, y) from start to goal."""

    goal: Goal
    grid: OccupancyGrid
    costs_m: Field
    path: tuple[Point, ...]

    @property
    def length_m(self) -> float:
        """The path's length."""
        return length_m(list(self.path))


class RoutePlanner:
    """Plans on `grid` grown by `planning_radius_m`, with the kernel `cost_to_go` compiled as `run`."""

    def __init__(self, kernel: CostToGo, run: Compiled, grid: OccupancyGrid, planning_radius_m: float) -> None:
        self.grid = grid
        self.grown = inflate(grid, planning_radius_m)
        self._kernel = kernel
        self._run = run

    def begin(self, start: Pose, goal: Goal) -> GoalField | RouteFailure:
        """Check both ends at once; then a field to `advance` in pieces before `finish`."""
        ends = self._ends(start, goal)
        return ends if isinstance(ends, RouteFailure) else GoalField(self._kernel, self._run, self.grown, ends[1])

    def finish(self, start: Pose, goal: Goal, field: GoalField) -> Route | RouteFailure:
        """The route over a complete field."""
        ends = self._ends(start, goal)
        if isinstance(ends, RouteFailure):
            return ends
        costs = field.costs_m()
        cells = descend(costs, ends[0])
        if not math.isfinite(costs[ends[0]]) or cells[-1] != field.goal:
            return RouteFailure(RouteError.NO_VALID_PATH, f"no way from {_at(start)} to {_at((goal.x, goal.y))}")
        return Route(goal, self.grown, costs, tuple(self._points(start, goal, cells)))

    def plan(self, start: Pose, goal: Goal) -> Route | RouteFailure:
        """All at once."""
        field = self.begin(start, goal)
        return field if isinstance(field, RouteFailure) else self.finish(start, goal, field.complete())

    def _ends(self, start: Pose, goal: Goal) -> tuple[Cell, Cell] | RouteFailure:
        for name, code, point in (
            ("start", RouteError.START_OUTSIDE_MAP, start[:2]),
            ("goal", RouteError.GOAL_OUTSIDE_MAP, (goal.x, goal.y)),
        ):
            if not all(map(math.isfinite, point)) or not self.grown.inside(self.grown.cell_of(*point)):
                return RouteFailure(code, f"the {name} {_at(point)} is outside the map")
        first = self._free_near(start[:2], ESCAPE_M)
        if first is None:
            return RouteFailure(RouteError.START_OCCUPIED, f"the start {_at(start)} is inside an obstacle")
        last = self._free_near((goal.x, goal.y), goal.tolerance_m)
        if last is None:
            return RouteFailure(RouteError.GOAL_OCCUPIED, f"no free floor within tolerance of {_at((goal.x, goal.y))}")
        return first, last

    def _free_near(self, point: Point, within_m: float) -> Cell | None:
        cell = self.grown.cell_of(*point)
        return cell if self.grown.is_free(cell) else nearest_free(self.grown, point, within_m)

    def _points(self, start: Pose, goal: Goal, cells: list[Cell]) -> list[Point]:
        """Exact ends where they are free; the first and last cell's centre beside an end that is not."""
        middle = [self.grown.centre_of(cell) for cell in cells]
        if self.grown.cell_of(*start[:2]) == cells[0]:
            middle[0] = (start[0], start[1])
        if self.grown.cell_of(goal.x, goal.y) == cells[-1]:
            middle = [*middle[:-1], (goal.x, goal.y)] if len(middle) > 1 else [*middle, (goal.x, goal.y)]
        way = smoothed(self.grown, middle)
        return way if self.grown.cell_of(*start[:2]) == cells[0] else [(start[0], start[1]), *way]


def _at(point: Pose | Point | tuple[float, ...]) -> str:
    return f"({point[0]:.2f}, {point[1]:.2f})"
