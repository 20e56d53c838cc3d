"""The guide that rollouts descend: a route's cost-to-go, made finite everywhere and exact near the goal."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.tensor import Field
from premotor_planners.maps.grid import Cell, OccupancyGrid
from premotor_planners.motion.state import Goal

_FILL_ROUNDS = 10
_FILL_COST = 3.0
"""Inside obstacles the guide rises this many times faster than on free floor, so that every slope leads out."""
_EUCLID_M = (0.4, 1.2)
"""Up to the first distance the guide is the straight line to the exact goal, from the second on the grid's."""


def guide_of(goal: Goal, grid: OccupancyGrid, costs_m: Field) -> Field:
    """Metres to go everywhere: `costs_m` continued into obstacles, and straight to the exact goal near it."""
    guide = _filled(costs_m, np.float32(_FILL_COST * grid.resolution_m))
    known = np.isfinite(guide)
    top = float(guide[known].max()) if known.any() else 0.0
    guide[~known] = top + 1.0
    _straighten_near(goal, grid, guide)
    return guide


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


def _filled(costs_m: Field, step_m: np.float32) -> Field:
    """A copy, continued into what is not reached: a cell is `step_m` above the least of its neighbours."""
    padded = np.full((costs_m.shape[0] + 2, costs_m.shape[1] + 2), np.inf, np.float32)
    inner = padded[1:-1, 1:-1]
    inner[...] = costs_m
    unknown = ~np.isfinite(inner)
    for _ in range(_FILL_ROUNDS):
        rows = np.minimum(np.minimum(padded[:-2], padded[1:-1]), padded[2:])
        least = np.minimum(np.minimum(rows[:, :-2], rows[:, 1:-1]), rows[:, 2:])
        np.add(least, step_m, out=inner, where=unknown)
        unknown &= ~np.isfinite(inner)
    filled: Field = inner.copy()
    return filled


def _straighten_near(goal: Goal, grid: OccupancyGrid, guide: Field) -> None:
    """Blend it, in place, towards Euclidean distance where the grid's distance shows that nothing is in the way."""
    low, high = _EUCLID_M
    (left, bottom), cell = grid.origin_m, grid.resolution_m
    rows = _around(goal.y - bottom, high, cell, guide.shape[0])
    cols = _around(goal.x - left, high, cell, guide.shape[1])
    near = guide[rows, cols]
    dx = np.abs(left + (np.arange(cols.start, cols.stop)[None, :] + 0.5) * cell - goal.x)
    dy = np.abs(bottom + (np.arange(rows.start, rows.stop)[:, None] + 0.5) * cell - goal.y)
    straight: NDArray[np.float64] = np.hypot(dx, dy)
    octile = np.maximum(dx, dy) + (math.sqrt(2) - 1) * np.minimum(dx, dy)
    share = np.clip((high - straight) / (high - low), 0.0, 1.0) * (near < octile + 2 * cell)
    near[...] = share * straight + (1.0 - share) * near


def _around(at_m: float, reach_m: float, cell_m: float, count: int) -> slice:
    """The cells within reach of a coordinate, of `count` from 0 on."""
    low, high = (min(max(math.floor(each / cell_m), 0), count) for each in (at_m - reach_m, at_m + reach_m + cell_m))
    return slice(low, high)
