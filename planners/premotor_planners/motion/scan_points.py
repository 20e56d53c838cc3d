"""A scan as points, by the rules of REP-117."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from premotor_planners.motion.state import LaserScan
from premotor_planners.world.model import Pose

Points = NDArray[np.float64]
"""Shape (n, 2): x, y in metres."""


def points_in_base(scan: LaserScan, too_near: bool = False) -> Points:
    """Obstacle points in the base frame at the scan's time.

    Finite readings within [range_min, range_max] are points. NaN, +inf and finite readings out of range are none. With
    `too_near`, -inf (something nearer than can be measured) counts as a point at range_min.
    """
    ranges = np.asarray(scan.ranges_m, np.float64)
    valid = np.isfinite(ranges) & _in_range(ranges, scan)
    if too_near and (near := ranges == -np.inf).any():
        ranges, valid = np.where(near, scan.range_min_m, ranges), valid | near
    beams = np.nonzero(valid)[0]
    looks = _directions(len(ranges), float(scan.angle_min), float(scan.angle_increment))
    return np.asarray(looks.take(beams, axis=0) * ranges[beams, None])


def says_nothing(scan: LaserScan) -> NDArray[np.bool_]:
    """Which beams say nothing: NaN, or finite but out of range; shape (beams,)."""
    ranges = np.asarray(scan.ranges_m, np.float64)
    return np.asarray(~(_in_range(ranges, scan) | np.isinf(ranges)))


def _in_range(ranges: NDArray[np.float64], scan: LaserScan) -> NDArray[np.bool_]:
    return np.asarray((ranges >= scan.range_min_m) & (ranges <= scan.range_max_m))


@lru_cache(maxsize=4)
def _directions(beams: int, angle_min: float, increment: float) -> NDArray[np.float64]:
    """Unit vectors along the beams, shape (beams, 2); kept, for a lidar's beams stay where they are."""
    angles = angle_min + np.arange(beams) * increment
    looks = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    looks.setflags(write=False)
    return looks


def moved(points: Points, pose: Pose) -> Points:
    """Points given in the frame at `pose`, in the frame that `pose` is given in."""
    x, y, yaw = pose
    outer: Points = (_as_one(points) * complex(math.cos(yaw), math.sin(yaw)) + complex(x, y)).view(np.float64)
    return outer


def seen_from(points: Points, pose: Pose) -> Points:
    """The inverse of `moved`: points of the outer frame as seen from `pose`."""
    x, y, yaw = pose
    inner: Points = ((_as_one(points) - complex(x, y)) * complex(math.cos(yaw), -math.sin(yaw))).view(np.float64)
    return inner


def seen_pose(pose: Pose, at: Pose) -> Pose:
    """A pose of the outer frame as seen from the pose `at`."""
    dx, dy, cos, sin = pose[0] - at[0], pose[1] - at[1], math.cos(at[2]), math.sin(at[2])
    return cos * dx + sin * dy, cos * dy - sin * dx, pose[2] - at[2]


def _as_one(points: Points) -> NDArray[np.complex128]:
    """A number a point, so that a turn is one product. (A matrix's first product takes 32 MB, wherever it happens.)"""
    return np.ascontiguousarray(points, np.float64).view(np.complex128)
