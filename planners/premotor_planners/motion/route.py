"""What a controller follows: a goal, how far it is from everywhere, and the path that was planned."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from premotor_planners.kernels.tensor import Field
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.maps.supercover import Point
from premotor_planners.motion.state import Goal
from premotor_planners.world.model import Pose


@dataclass(frozen=True, eq=False)
class Leg:
    """A part of a way that is driven in one sense: 1 forward, -1 backward, 0 a turn on the spot to the end's heading.

    `costs_m` (rows, cols): metres along the leg to its `end`, rising beside it; finite everywhere. `path` leads there.
    """

    end: Pose
    sense: int
    costs_m: Field
    path: tuple[Point, ...]


@dataclass(frozen=True, eq=False)
class Route:
    """A goal, the distances to it (metres, inf where not reached), and the path (x, y) from start to goal.

    `grid` is the map that `costs_m` and `guide` lie on; the guide is what rollouts descend, finite everywhere (see
    `goal_guide`). `legs` are given where the true outline had to be planned for, and the
    order and sense of driving matter; without them any way down `costs_m` will do.
    """

    goal: Goal
    grid: OccupancyGrid
    costs_m: Field
    guide: Field
    path: tuple[Point, ...]
    legs: tuple[Leg, ...] = ()

    @property
    def length_m(self) -> float:
        """The path's length."""
        return sum(math.dist(a, b) for a, b in pairwise(self.path))

    def left_m(self, point: Point) -> float:
        """Metres to go from a point; inf beyond the map and where the goal cannot be reached from."""
        cell = self.grid.cell_of(*point)
        return float(self.costs_m[cell]) if self.grid.inside(cell) else math.inf
