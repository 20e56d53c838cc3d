"""The static layer: the map, as costs on the costmap's lattice of cells."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from premotor_planners.costmap.errors import CostmapError
from premotor_planners.costmap.settings import CostmapSettings
from premotor_planners.costmap.values import FREE_SPACE, LETHAL, NO_INFORMATION
from premotor_planners.maps.grid import Cell, OccupancyGrid

Costs = NDArray[np.uint8]
_Number = TypeVar("_Number", np.uint8, np.float64)
_BETWEEN = 253
"""Where unknown ranks when several cells become one: below lethal, above every known one."""


class StaticLayer:
    """A map as costs; the lattice's cell (0, 0) is the map's lower left one.

    A map of another resolution is taken over so that a cell has the worst of the cells it touches. Raises CostmapError
    for a resolution or an origin that is none.
    """

    def __init__(self, grid: OccupancyGrid, settings: CostmapSettings) -> None:
        if not (0 < grid.resolution_m < math.inf and all(map(math.isfinite, grid.origin_m))):
            raise CostmapError(
                f"the map has cells of {grid.resolution_m} m and the origin {grid.origin_m}; both must be finite and "
                "cells above 0"
            )
        if grid.data.ndim != 2 or 0 in grid.data.shape:
            raise CostmapError(f"the map has the shape {grid.data.shape}; give at least one row and one column")
        costs = _interpreted(np.asarray(grid.data), settings)
        self._costs = _resampled(costs, grid.resolution_m / settings.resolution_m)
        self._outside = outside_cost(settings)

    def crop(self, corner: Cell, shape: tuple[int, int]) -> Costs:
        """The costs of `shape` cells from the lattice's cell `corner` on; beyond the map what nothing is known of."""
        return cropped(self._costs, corner, shape, self._outside)


def outside_cost(settings: CostmapSettings) -> int:
    """What a cell costs of which no layer knows anything."""
    return NO_INFORMATION if settings.track_unknown_space else FREE_SPACE


def cropped(costs: NDArray[_Number], corner: Cell, shape: tuple[int, int], outside: int | float) -> NDArray[_Number]:
    """A copy of the window; cells beyond `costs` are `outside`."""
    window: NDArray[_Number] = np.full(shape, outside, costs.dtype)
    rows = slice(max(corner[0], 0), max(min(corner[0] + shape[0], costs.shape[0]), 0))
    cols = slice(max(corner[1], 0), max(min(corner[1] + shape[1], costs.shape[1]), 0))
    part = costs[rows, cols]
    if part.size:
        row, col = rows.start - corner[0], cols.start - corner[1]
        window[row : row + part.shape[0], col : col + part.shape[1]] = part
    return window


def _interpreted(data: NDArray[np.int8], settings: CostmapSettings) -> Costs:
    """Nav2's reading of an occupancy value: unknown below 0, lethal from the threshold on, in between by share."""
    values = data.astype(np.int16)
    share = np.zeros_like(values) if settings.trinary else values * LETHAL // settings.lethal_threshold
    costs = np.where(values >= settings.lethal_threshold, LETHAL, share)
    return np.where(values < 0, outside_cost(settings), costs).astype(np.uint8)


def _resampled(costs: Costs, cells: float) -> Costs:
    """`cells` is the size of the given cells in new ones."""
    if abs(cells - 1.0) < 1e-6:
        return np.ascontiguousarray(costs)
    ranked = np.where(costs == NO_INFORMATION, _BETWEEN, costs).astype(np.uint8)
    worst = _worst_of(_worst_of(ranked, cells).T, cells).T
    return np.ascontiguousarray(np.where(worst == _BETWEEN, NO_INFORMATION, worst), np.uint8)


def _worst_of(costs: Costs, cells: float) -> Costs:
    count = max(1, math.ceil(len(costs) * cells - 1e-6))
    edges = np.arange(count + 1) / cells
    first = np.clip(np.floor(edges[:-1] + 1e-6).astype(np.int64), 0, len(costs) - 1)
    last = np.clip(np.ceil(edges[1:] - 1e-6).astype(np.int64) - 1, first, len(costs) - 1)
    worst = costs[first]
    for step in range(1, int((last - first).max()) + 1):
        worst = np.maximum(worst, costs[np.minimum(first + step, last)])
    return np.asarray(worst)
