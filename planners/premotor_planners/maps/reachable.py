"""Which free cells can be reached, and where in a room a robot stands best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from premotor_planners.maps.grid import Cell, OccupancyGrid
from premotor_planners.world.model import Pose, Rectangle


def reachable_from(grid: OccupancyGrid, start: Cell) -> NDArray[np.bool_]:
    """Free cells connected with `start` through shared edges, shape (rows, cols); all False where start is not free.

    Spreads over whole runs of free cells at once: the number of passes is the number of turns on the way.
    """
    free = ~grid.occupied
    reached = np.zeros(grid.shape, np.bool_)
    if not grid.is_free(start):
        return reached
    reached[start] = True
    row_runs, col_runs = _runs(free), np.ascontiguousarray(_runs(free.T).T)
    count = -1
    while (now := int(reached.sum())) != count:
        count = now
        for runs in (row_runs, col_runs):
            hit = np.zeros(int(runs.max()) + 1, np.bool_)
            hit[runs[reached]] = True
            reached = hit[runs] & free
    return reached


def free_middle(reachable: NDArray[np.bool_], grid: OccupancyGrid, area: Rectangle) -> Pose | None:
    """A pose for "go to this room": the reachable cell nearest to the middle of `area`, heading 0; None without one."""
    rows, cols = np.nonzero(reachable)
    x = grid.origin_m[0] + (cols + 0.5) * grid.resolution_m
    y = grid.origin_m[1] + (rows + 0.5) * grid.resolution_m
    inside = (x > area[0]) & (x < area[2]) & (y > area[1]) & (y < area[3])
    if not inside.any():
        return None
    squared = np.square(x - (area[0] + area[2]) / 2) + np.square(y - (area[1] + area[3]) / 2)
    best = int(np.argmin(np.where(inside, squared, np.inf)))
    return float(x[best]), float(y[best]), 0.0


def _runs(free: NDArray[np.bool_]) -> NDArray[np.int64]:
    """A number for every horizontal run of equal cells, different in every row."""
    changes = np.ones(free.shape, np.int64)
    changes[:, 1:] = free[:, 1:] != free[:, :-1]
    return np.cumsum(changes.ravel()).reshape(free.shape) - 1
