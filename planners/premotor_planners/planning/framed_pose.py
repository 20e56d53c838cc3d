"""Poses as messages carry them: in a named frame, turned by a quaternion."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from premotor_planners.planning.outcome import PlanError, PlanFailure
from premotor_planners.world.model import Pose

MAP = "map"
_ZERO = 1e-6


@dataclass(frozen=True)
class FramedPose:
    """Metres in `frame_id`; `quaternion` is x, y, z, w as in geometry_msgs/Quaternion, of any length but 0."""

    frame_id: str
    x: float
    y: float
    quaternion: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)


def in_map(pose: FramedPose, frames: Mapping[str, Pose] | None = None) -> Pose | PlanFailure:
    """The same pose in `map`; `frames` gives the pose in `map` of every other frame that is known.

    TF_ERROR for a frame that is not known (coordinates are never taken for another frame's), for a quaternion of length
    0 and for one that is not finite. Positions that are not finite pass, for the planner to say which end they are.
    """
    yaw = _yaw(pose.quaternion)
    if yaw is None:
        return PlanFailure(PlanError.TF_ERROR, f"the quaternion {pose.quaternion} is no rotation; give w = 1 for none")
    frame = pose.frame_id.removeprefix("/")
    if frame == MAP:
        return pose.x, pose.y, yaw
    origin = (frames or {}).get(frame)
    if origin is None or not all(map(math.isfinite, origin)):
        known = ", ".join([MAP, *(frames or {})])
        return PlanFailure(PlanError.TF_ERROR, f"nothing is known of the frame `{pose.frame_id}`; known: {known}")
    cos, sin = math.cos(origin[2]), math.sin(origin[2])
    x, y = origin[0] + cos * pose.x - sin * pose.y, origin[1] + sin * pose.x + cos * pose.y
    return x, y, math.remainder(origin[2] + yaw, 2 * math.pi)


def _yaw(quaternion: tuple[float, float, float, float]) -> float | None:
    """The turn about the vertical, None where there is no rotation."""
    length = math.hypot(*quaternion)
    if not _ZERO < length < math.inf:
        return None
    x, y, z, w = (part / length for part in quaternion)
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
