"""Why a scan cannot be used at all; single readings that say nothing are no fault."""

from __future__ import annotations

import math

import numpy as np

from premotor_planners.motion.state import LaserScan
from premotor_planners.world.model import Pose

FUTURE_S = 0.02
"""A stamp this far ahead of now is rounding; more is a wrong clock."""


MOST_ANGLE = 20.0
FARTHEST_M = 1e6
"""No map reaches farther; cell numbers then fit 32 bits."""


def near_enough(pose: Pose) -> bool:
    """Whether a pose is finite and within FARTHEST_M."""
    return all(math.isfinite(number) and abs(number) <= FARTHEST_M for number in pose)


def scan_fault(scan: LaserScan, now_s: float) -> str:
    """What is wrong with a scan's geometry or stamp, empty where nothing is."""
    if np.ndim(scan.ranges_m) != 1:
        return f"the scan has {np.ndim(scan.ranges_m)}-dimensional ranges; give one a beam"
    if not (math.isfinite(scan.angle_min) and math.isfinite(scan.angle_increment)):
        return "the scan's angles are not finite"
    if max(abs(scan.angle_min), abs(scan.angle_increment)) > MOST_ANGLE:
        return f"the scan's angles {scan.angle_min}, {scan.angle_increment} are no radians of a turn or two"
    if scan.angle_increment == 0.0 and len(scan.ranges_m) > 1:
        return "the scan's angle_increment is 0: its beams all look the same way"
    if not 0.0 <= scan.range_min_m < scan.range_max_m:
        return f"the scan's range limits [{scan.range_min_m}, {scan.range_max_m}] are not a range"
    if scan.taken_at is not None and not near_enough(scan.taken_at):
        return f"the scan's pose {scan.taken_at} is not finite, or farther than {FARTHEST_M:g} m away"
    if not scan.stamp_s <= now_s + FUTURE_S:
        return "the scan is from the future: the clock jumped back, or its stamp is wrong"
    return ""
