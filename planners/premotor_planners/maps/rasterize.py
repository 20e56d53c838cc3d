"""The world's walls and furniture as an occupancy grid."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from premotor_planners.maps.grid import FREE, OCCUPIED, OccupancyGrid
from premotor_planners.world.model import Rectangle, World

RESOLUTION_M = 0.05
_EPSILON_CELLS = 1e-6
"""Edges that fall on a cell border up to rounding do not occupy the next cell."""


def rasterize(world: World, resolution_m: float = RESOLUTION_M) -> OccupancyGrid:
    """Grid over the world's bounds; a cell is occupied where any wall or place covers part of it."""
    xmin, ymin, xmax, ymax = world.bounds_m
    rows = max(1, math.ceil((ymax - ymin) / resolution_m - _EPSILON_CELLS))
    cols = max(1, math.ceil((xmax - xmin) / resolution_m - _EPSILON_CELLS))
    grid = OccupancyGrid(np.full((rows, cols), FREE, np.int8), resolution_m, (xmin, ymin))
    return fill(grid, (*world.walls_m, *(place.area_m for place in world.places)))


def fill(grid: OccupancyGrid, rectangles: Iterable[Rectangle]) -> OccupancyGrid:
    """A copy of `grid` in which every cell that a rectangle covers in part is occupied; parts outside are dropped."""
    data = grid.data.copy()
    for xmin, ymin, xmax, ymax in rectangles:
        cols = _covered(xmin, xmax, grid.origin_m[0], grid.resolution_m)
        rows = _covered(ymin, ymax, grid.origin_m[1], grid.resolution_m)
        data[rows, cols] = OCCUPIED
    return OccupancyGrid(data, grid.resolution_m, grid.origin_m)


def _covered(low: float, high: float, origin: float, resolution: float) -> slice:
    first = math.floor((low - origin) / resolution + _EPSILON_CELLS)
    last = math.ceil((high - origin) / resolution - _EPSILON_CELLS)
    return slice(max(0, first), max(0, last))
