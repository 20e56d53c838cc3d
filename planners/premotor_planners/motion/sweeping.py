"""How far an outline gets along a sequence of poses before a point is too near."""

from __future__ import annotations

import logging
from collections.abc import Callable
from ctypes import c_double, c_int, c_void_p
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_foundation.native_code.errors import BuildError
from premotor_planners.costmap.native.library import costmap_library
from premotor_planners.kernels.native.library import pointer
from premotor_planners.motion.footprint import Disc, Footprint
from premotor_planners.motion.scan_points import Points
from premotor_planners.motion.stopping import Sweep

CONTACT_M = 0.002
"""Nearer than this the robot counts as touching; no pose is clear."""
_log = logging.getLogger(__name__)


def clear_poses(sweep: Sweep, points: Points, footprint: Footprint, margin_m: float) -> int:
    """How many poses from the first on are clear of all points; 0 where one touches the outline at the first.

    A pose is clear if every point keeps the margin and half the sweep's spacing, so that between two clear poses the
    margin holds too. A point that is nearer at the first pose may stay, but come no nearer. `points` (n, 2) in the
    frame of the poses. In C++ for discs and polygons where it could be built, else by the definition.
    """
    needed = margin_m + sweep.spacing_m / 2
    points = points[_in_box(points, sweep.poses, footprint.reach_m + needed)]
    native = native_sweep()
    corners = () if isinstance(footprint, Disc) else getattr(footprint, "corners_m", None)
    if not len(points):
        return len(sweep.poses)
    if native is None or corners is None:
        return clear_poses_by_definition(sweep.poses, points, footprint, needed)
    corner, poses = np.array(corners, np.float64), np.ascontiguousarray(sweep.poses)
    points = np.ascontiguousarray(points)
    radius, reach = getattr(footprint, "radius_m", 0.0), footprint.reach_m
    clear: int = native(
        len(corners), pointer(corner), radius, reach, len(poses), pointer(poses), len(points), pointer(points), needed,
        CONTACT_M,
    )  # fmt: skip
    return clear


def clear_poses_by_definition(poses: NDArray[np.float64], points: Points, footprint: Footprint, needed_m: float) -> int:
    """`clear_poses` in numpy, for any footprint; `needed_m` with half the spacing in it."""
    far = footprint.reach_m + needed_m
    first = footprint.distance(_seen(points, *poses[0]))
    if (first <= CONTACT_M).any():
        return 0
    dx, dy = points[None, :, 0] - poses[:, 0, None], points[None, :, 1] - poses[:, 1, None]
    at, point = np.nonzero(dx * dx + dy * dy < far * far)
    dx, dy, yaw = dx[at, point], dy[at, point], poses[at, 2]
    cos, sin = np.cos(yaw), np.sin(yaw)
    gaps = footprint.distance(np.stack([cos * dx + sin * dy, cos * dy - sin * dx], axis=-1))
    blocked = at[gaps < np.minimum(needed_m, first[point]) - 1e-9]
    return int(blocked.min()) if len(blocked) else len(poses)


@lru_cache(maxsize=1)
def native_sweep() -> Callable[..., Any] | None:
    """The C++ version, built at the first call; None, and a warning, where it cannot be built."""
    arguments = [c_int, c_void_p, c_double, c_double, c_int, c_void_p, c_int, c_void_p, c_double, c_double]
    try:
        return costmap_library().function("clear_poses", c_int, arguments)
    except BuildError as error:
        _log.warning("the safety gate sweeps in numpy, several times slower: %s", error)
        return None


def _in_box(points: Points, poses: NDArray[np.float64], far: float) -> NDArray[np.bool_]:
    low, high = poses[:, :2].min(axis=0) - far, poses[:, :2].max(axis=0) + far
    x, y = points[:, 0], points[:, 1]
    return np.asarray((x >= low[0]) & (x <= high[0]) & (y >= low[1]) & (y <= high[1]))


def _seen(points: Points, x: float, y: float, yaw: float) -> NDArray[np.float64]:
    """Points as seen from a pose, shape (points, 2)."""
    cos, sin = np.cos(yaw), np.sin(yaw)
    dx, dy = points[:, 0] - x, points[:, 1] - y
    return np.stack([cos * dx + sin * dy, cos * dy - sin * dx], axis=-1)
