"""A scan as points, by the rules of REP-117."""

from __future__ import annotations

import math

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
    valid = np.isfinite(ranges) & (ranges >= scan.range_min_m) & (ranges <= scan.range_max_m)
    if too_near:
        near = np.isneginf(ranges)
        ranges, valid = np.where(near, scan.range_min_m, ranges), valid | near
    angles = scan.angle_min + np.nonzero(valid)[0] * scan.angle_increment
    distance = ranges[valid]
    return np.stack([distance * np.cos(angles), distance * np.sin(angles)], axis=1)


def blind_share(scan: LaserScan) -> float:
    """The share of beams that say nothing: NaN, or finite but out of range. 1 for a scan without beams."""
    return float(np.mean(says_nothing(scan))) if np.size(scan.ranges_m) else 1.0


def says_nothing(scan: LaserScan) -> NDArray[np.bool_]:
    """Which beams say nothing: NaN, or finite but out of range; shape (beams,)."""
    ranges = np.asarray(scan.ranges_m, np.float64)
    out = np.isfinite(ranges) & ((ranges < scan.range_min_m) | (ranges > scan.range_max_m))
    return np.asarray(np.isnan(ranges) | out)


def moved(points: Points, pose: Pose) -> Points:
    """Points given in the frame at `pose`, in the frame that `pose` is given in."""
    x, y, yaw = pose
    cos, sin = math.cos(yaw), math.sin(yaw)
    outer: Points = points @ np.array([[cos, sin], [-sin, cos]]) + np.array([x, y])
    return outer


def seen_from(points: Points, pose: Pose) -> Points:
    """The inverse of `moved`: points of the outer frame as seen from `pose`."""
    x, y, yaw = pose
    cos, sin = math.cos(yaw), math.sin(yaw)
    inner: Points = (points - np.array([x, y])) @ np.array([[cos, -sin], [sin, cos]])
    return inner
