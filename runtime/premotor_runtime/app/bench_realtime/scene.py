"""A robot's drive around a room with pillars and two people, as a function of the period's number alone.

So every set-up computes on the same scans, whatever it missed before. A lap takes a fixed number of periods; its scans
are cast before the first period, for a sensor's work is not the controller's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from premotor_planners.motion.state import Goal, LaserScan, RobotState

BEAMS = 360
LAP_PERIODS = 1800
_ROOM_M = (5.0, 4.0)
"""Half the room's length and width."""
_TRACK_M = (3.4, 2.5)
"""Half axes of the ellipse that is driven along."""
_PILLARS = ((0.0, 0.0, 0.35), (2.0, 0.6, 0.2), (-1.9, -0.7, 0.25), (4.3, 3.2, 0.3), (-4.2, -3.1, 0.3))
_WALKER_RADIUS_M = 0.25
_RANGE_MAX_M = 8.0
_NOISE_M = 0.004
_AHEAD_PERIODS = 240
Circles = NDArray[np.float64]


@dataclass(frozen=True)
class Scene:
    """`ranges` float32 (LAP_PERIODS, BEAMS); periods are `period_s` long. See `cast_scene`."""

    ranges: NDArray[np.float32]
    period_s: float

    def state(self, number: int) -> RobotState:
        """Where the robot is at the start of a period; stamps count from the first period."""
        x, y, yaw = _pose(number)
        before, after = _pose(number - 1), _pose(number + 1)
        v_mps = math.dist(before[:2], after[:2]) / (2 * self.period_s)
        w_rps = math.remainder(after[2] - before[2], 2 * math.pi) / (2 * self.period_s)
        return RobotState(x, y, yaw, v_mps, w_rps, number * self.period_s)

    def scan(self, number: int) -> LaserScan:
        """What the lidar saw at the start of a period."""
        return LaserScan(number * self.period_s, self.ranges[number % len(self.ranges)], 0.05, _RANGE_MAX_M)

    def goal(self, number: int) -> Goal:
        """A point of the way some seconds ahead."""
        x, y, yaw = _pose(number + _AHEAD_PERIODS)
        return Goal(x, y, yaw)


def cast_scene(period_s: float, seed: int = 0) -> Scene:
    """Cast a whole lap; equal seeds give equal noise."""
    noise = np.random.default_rng(seed).normal(0.0, _NOISE_M, (LAP_PERIODS, BEAMS))
    ranges = np.stack([_cast(_pose(number), _circles(number)) for number in range(LAP_PERIODS)]) + noise
    seen = np.where(ranges < _RANGE_MAX_M, ranges, np.inf).astype(np.float32)
    seen.setflags(write=False)
    return Scene(seen, period_s)


def _pose(number: int) -> tuple[float, float, float]:
    angle = 2 * math.pi * number / LAP_PERIODS
    along, across = _TRACK_M
    x, y = along * math.cos(angle), across * math.sin(angle)
    return x, y, math.atan2(across * math.cos(angle), -along * math.sin(angle))


def _circles(number: int) -> Circles:
    """x, y, radius of pillars and people; one person walks along the room, one around its middle."""
    turn = 2 * math.pi * number / LAP_PERIODS
    walkers = (
        (4.2 * math.cos(3 * turn), 3.4, _WALKER_RADIUS_M),
        (1.2 * math.cos(-2 * turn), 1.2 * math.sin(-2 * turn), _WALKER_RADIUS_M),
    )
    return np.array([*_PILLARS, *walkers])


def _cast(pose: tuple[float, float, float], circles: Circles) -> NDArray[np.float64]:
    """Metres to the nearest surface along each beam."""
    x, y, yaw = pose
    angles = yaw + 2 * math.pi / BEAMS * np.arange(BEAMS)
    cos, sin = np.cos(angles), np.sin(angles)
    with np.errstate(divide="ignore"):
        to_x = (np.copysign(_ROOM_M[0], cos) - x) / cos
        to_y = (np.copysign(_ROOM_M[1], sin) - y) / sin
    return np.asarray(np.minimum(np.minimum(to_x, to_y), _to_circles(circles - (x, y, 0.0), cos, sin)))


def _to_circles(circles: Circles, cos: NDArray[np.float64], sin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Metres to the nearest of circles given relative to the lidar, inf where a beam meets none."""
    x, y, radius = circles[:, 0, None], circles[:, 1, None], circles[:, 2, None]
    along, across = x * cos + y * sin, x * sin - y * cos
    inside = radius**2 - across**2
    meets = (inside > 0) & (along > 0)
    distance = np.where(meets, along - np.sqrt(np.maximum(inside, 0.0)), np.inf)
    return np.asarray(distance.min(axis=0))
