"""A world of upright cylinders, a start, a goal, and the time a perfect robot would take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from premotor_planners.world.model import Pose

START: Pose = (-2.25, 3.0, math.pi / 2)
GOAL: tuple[float, float] = (-2.25, 13.0)
OPTIMAL_SPEED_MPS = 2.0


@dataclass(frozen=True, eq=False)
class CylinderWorld:
    """`cylinders` (n, 3): x, y, radius in metres. `path_m` is the length of the reference path, ends included."""

    name: str
    cylinders: NDArray[np.float64]
    path_m: float
    start: Pose = START
    goal: tuple[float, float] = GOAL

    @property
    def optimal_s(self) -> float:
        """BARN's optimal time: the reference path at 2 m/s."""
        return self.path_m / OPTIMAL_SPEED_MPS


def metric(success: bool, world: CylinderWorld, took_s: float) -> float:
    """BARN's: success times OT / clip(AT, 2 OT, 8 OT)."""
    optimal = world.optimal_s
    return optimal / min(max(took_s, 2 * optimal), 8 * optimal) if success else 0.0


def polyline_m(points: NDArray[np.float64]) -> float:
    """The length of a polyline (n, 2)."""
    return sum(math.dist(a, b) for a, b in pairwise(points))
