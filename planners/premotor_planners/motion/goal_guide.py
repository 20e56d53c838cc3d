"""The guide that rollouts descend: a route's cost-to-go, made finite everywhere and exact near the goal."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.tensor import Field
from premotor_planners.maps.grid import Cell
from premotor_planners.motion.route import Route

_FILL_ROUNDS = 10
_FILL_COST = 3.0
"""Inside obstacles the guide rises this many times faster than on free floor, so that every slope leads out."""
_EUCLID_M = (0.4, 1.2)
"""Up to the first distance the guide is the straight line to the exact goal, from the second on the grid's."""


def guide_of(route: Route) -> Field:
    """Metres to go everywhere: the route's costs, continued into obstacles, and straight to the exact goal near it."""
    costs, resolution = route.costs_m, route.grid.resolution_m
    for _ in range(_FILL_ROUNDS):
        costs = np.where(np.isfinite(costs), costs, _least_around(costs) + np.float32(_FILL_COST * resolution))
    known = np.isfinite(costs)
    top = float(costs[known].max()) if known.any() else 0.0
    return _straight_near_goal(np.where(known, costs, np.float32(top + 1.0)), route)


def guide_window(guide: Field, corner: Cell, shape: tuple[int, int]) -> Field:
    """The guide's crop, lowered so that its least value is 0: only differences count, and small ones round less."""
    crop = cropped(guide, corner, shape, float(guide.max()))
    lowered: Field = crop - crop.min()
    return lowered


def cropped(field: Field, corner: Cell, shape: tuple[int, int], outside: float) -> Field:
    """A copy of the window at `corner`; cells beyond the field are `outside`."""
    window = np.full(shape, outside, np.float32)
    (r0, r1), (c0, c1) = (
        (min(max(0, corner[axis]), field.shape[axis]), min(max(0, corner[axis] + shape[axis]), field.shape[axis]))
        for axis in (0, 1)
    )
    if r0 < r1 and c0 < c1:
        window[r0 - corner[0] : r1 - corner[0], c0 - corner[1] : c1 - corner[1]] = field[r0:r1, c0:c1]
    return window


def _least_around(costs: Field) -> Field:
    padded = np.pad(costs, 1, constant_values=np.inf)
    rows = np.minimum(np.minimum(padded[:-2], padded[1:-1]), padded[2:])
    least: Field = np.minimum(np.minimum(rows[:, :-2], rows[:, 1:-1]), rows[:, 2:])
    return least


def _straight_near_goal(costs: Field, route: Route) -> Field:
    """Blend towards Euclidean distance where the grid's distance shows that nothing is in the way."""
    grid = route.grid
    rows = np.arange(costs.shape[0])[:, None] + 0.5
    cols = np.arange(costs.shape[1])[None, :] + 0.5
    dx = np.abs(grid.origin_m[0] + cols * grid.resolution_m - route.goal.x)
    dy = np.abs(grid.origin_m[1] + rows * grid.resolution_m - route.goal.y)
    straight: NDArray[np.float64] = np.hypot(dx, dy)
    octile = np.maximum(dx, dy) + (math.sqrt(2) - 1) * np.minimum(dx, dy)
    low, high = _EUCLID_M
    share = np.clip((high - straight) / (high - low), 0.0, 1.0) * (costs < octile + 2 * grid.resolution_m)
    return np.asarray(share * straight + (1.0 - share) * costs, np.float32)
