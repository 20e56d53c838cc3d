"""What flows through one control period: pose and speeds, scan, command, goal."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from premotor_planners.world.model import Pose


@dataclass(frozen=True)
class RobotState:
    """Pose in `map` (metres, radians), speeds of the base (forward m/s, turn rad/s, counter-clockwise), and when."""

    x: float
    y: float
    yaw: float
    v_mps: float = 0.0
    w_rps: float = 0.0
    stamp_s: float = 0.0

    @property
    def pose(self) -> Pose:
        """x, y, yaw."""
        return self.x, self.y, self.yaw

    @property
    def finite(self) -> bool:
        """Whether every number is one."""
        return all(map(math.isfinite, (self.x, self.y, self.yaw, self.v_mps, self.w_rps, self.stamp_s)))


@dataclass(frozen=True)
class Command:
    """Speeds asked of the base."""

    v_mps: float
    w_rps: float

    @property
    def finite(self) -> bool:
        """Whether both are numbers."""
        return math.isfinite(self.v_mps) and math.isfinite(self.w_rps)


STOP = Command(0.0, 0.0)


@dataclass(frozen=True, eq=False)
class LaserScan:
    """A planar scan, with the meaning of REP-117: NaN is no measurement, +inf nothing within range, -inf too near.

    `ranges_m` float32 (beams,); beam i looks at `angle_min + i * angle_increment` in the base frame, sensor at the
    base's centre. `taken_at` is the pose of the base when the scan was taken, None for "where the robot is now".
    """

    stamp_s: float
    ranges_m: NDArray[np.float32]
    range_min_m: float = 0.05
    range_max_m: float = 12.0
    angle_min: float = 0.0
    angle_increment: float = 2 * math.pi / 360
    taken_at: Pose | None = None


@dataclass(frozen=True)
class Goal:
    """Where to stand, and how exactly; `yaw` None for any heading."""

    x: float
    y: float
    yaw: float | None = None
    tolerance_m: float = 0.10
    yaw_tolerance: float = 0.15


def wrapped(angle: float) -> float:
    """The same angle in (-pi, pi]."""
    turned = math.remainder(angle, 2 * math.pi)
    return math.pi if turned == -math.pi else turned
