"""A way of poses as legs to follow: one for every stretch that is driven in one sense."""

from __future__ import annotations

from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.tensor import Field
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.maps.supercover import Point
from premotor_planners.motion.goal_guide import guide_of
from premotor_planners.motion.route import Leg, Route
from premotor_planners.motion.state import Goal
from premotor_planners.se2.planner import Se2Plan

_STEEP = 3.0
"""How many times faster than along the way costs rise beside it."""
_APART_M = 0.05
"""Poses nearer to the one before are left out of the field: pieces between them are straight."""


def outline_route(goal: Goal, grid: OccupancyGrid, plan: Se2Plan) -> Route:
    """The plan as a route on `grid`; its distances are those of the whole way, whatever its legs are."""
    legs, begin = [], 0
    for sense, group in groupby(plan.senses[1:].tolist()):
        end = begin + len(list(group))
        x, y, yaw = plan.poses[end].tolist()
        poses = plan.poses[begin : end + 1]
        legs.append(Leg((x, y, yaw), int(sense), costs_along(grid, poses), _points(poses)))
        begin = end
    costs_m = costs_along(grid, plan.poses)
    return Route(goal, grid, costs_m, guide_of(goal, grid, costs_m), _points(plan.poses), tuple(legs))


def costs_along(grid: OccupancyGrid, poses: NDArray[np.float64]) -> Field:
    """Metres along `poses` (n, 3) to the last one, from every cell of the grid, those beside the way dearer."""
    steps = np.hypot(*np.diff(poses[:, :2], axis=0).T)
    to_go = np.concatenate([np.cumsum(steps[::-1])[::-1], [0.0]])
    kept = np.unique([*np.unique(np.floor(to_go / _APART_M), return_index=True)[1], 0, len(poses) - 1])
    y, x = (
        _centres(origin, grid.resolution_m, count)
        for origin, count in zip(grid.origin_m[::-1], grid.shape, strict=True)
    )
    least: Field = np.full(grid.shape, np.inf, np.float32)
    for i, j in pairwise(kept.tolist()):
        np.minimum(least, _beside(x[None, :], y[:, None], poses[i], poses[j], to_go[i], to_go[j]), out=least)
    return least


def _points(poses: NDArray[np.float64]) -> tuple[Point, ...]:
    return tuple((float(x), float(y)) for x, y, _ in poses)


def _centres(origin_m: float, resolution_m: float, count: int) -> NDArray[np.float64]:
    return np.asarray(origin_m + (np.arange(count) + 0.5) * resolution_m, np.float64)


def _beside(
    x: NDArray[np.float64], y: NDArray[np.float64], begin: NDArray[np.float64], end: NDArray[np.float64],
    first_m: float, last_m: float,
) -> Field:  # fmt: skip
    """By way of the nearest point of one straight piece, along which what is left falls from `first_m` to `last_m`."""
    dx, dy = end[0] - begin[0], end[1] - begin[1]
    squared = max(dx * dx + dy * dy, 1e-12)
    share = np.clip(((x - begin[0]) * dx + (y - begin[1]) * dy) / squared, 0.0, 1.0)
    beside = np.hypot(x - begin[0] - share * dx, y - begin[1] - share * dy)
    return np.asarray(first_m + share * (last_m - first_m) + _STEEP * beside, np.float32)
