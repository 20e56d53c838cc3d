"""A path down the cost-to-go, and shortened to straight pieces that never touch a grown obstacle."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from premotor_planners.kernels.tensor import Field
from premotor_planners.maps.grid import Cell, OccupancyGrid
from premotor_planners.maps.supercover import Point, line_is_free

_STEPS = tuple((dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if (dr, dc) != (0, 0))


def descend(costs: Field, start: Cell, most: int | None = None) -> list[Cell]:
    """Cells from `start` down to a minimum of `costs` (inf where one may not go), at most `most` steps.

    Each step goes to a neighbour of lower cost, diagonally only between two finite cells.
    """
    cells = [start]
    limit = costs.size if most is None else most
    while len(cells) <= limit:
        best = _best_step(costs, cells[-1])
        if best is None:
            break
        cells.append(best)
    return cells


def smoothed(grid: OccupancyGrid, points: list[Point]) -> list[Point]:
    """Fewer points with the same ends: from each, straight on to the farthest that is seen before the first not seen.

    Every piece added is supercover-checked against `grid`; pieces of the given path that fail are kept as they are.
    """
    kept = points[:1]
    i = 0
    while i < len(points) - 1:
        j = i + 1
        while j + 1 < len(points) and line_is_free(grid, points[i], points[j + 1]):
            j += 1
        kept.append(points[j])
        i = j
    return kept


def length_m(points: list[Point]) -> float:
    """The length of a polyline."""
    return sum(math.dist(a, b) for a, b in pairwise(points))


def nearest_free(grid: OccupancyGrid, point: Point, within_m: float) -> Cell | None:
    """The free cell whose centre is nearest to `point` and at most `within_m` away; None without one."""
    row, col = grid.cell_of(*point)
    reach = math.ceil(within_m / grid.resolution_m) + 1
    nearby = ((row + dr, col + dc) for dr in range(-reach, reach + 1) for dc in range(-reach, reach + 1))
    found = [(math.dist(grid.centre_of(cell), point), cell) for cell in nearby if grid.is_free(cell)]
    return min((entry for entry in found if entry[0] <= within_m), default=(0.0, None))[1]


def _best_step(costs: Field, cell: Cell) -> Cell | None:
    row, col = cell
    here, best, best_total = float(costs[cell]), None, math.inf
    for dr, dc in _STEPS:
        r, c = row + dr, col + dc
        if not (0 <= r < costs.shape[0] and 0 <= c < costs.shape[1]) or not costs[r, c] < here:
            continue
        if dr and dc and not (np.isfinite(costs[row, c]) and np.isfinite(costs[r, col])):
            continue
        slope = (float(costs[r, c]) - here) / math.hypot(dr, dc)
        if slope < best_total:
            best, best_total = (r, c), slope
    return best
