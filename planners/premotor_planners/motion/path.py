"""The way down a cost-to-go."""

from __future__ import annotations

import math

import numpy as np

from premotor_planners.kernels.tensor import Field
from premotor_planners.maps.grid import Cell

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
