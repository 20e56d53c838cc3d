"""Exact Euclidean distance to obstacles, and growing obstacles by a radius.

The distance of a cell is from its centre to the nearest point of the nearest occupied cell's square, so that a disc
of radius r centred in a cell at distance >= r touches no occupied cell. The squared distance is separable (rows, then
columns), as in Felzenszwalb and Huttenlocher, "Distance Transforms of Sampled Functions" (2012); with a limit the
second pass is a minimum over few shifts.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from premotor_planners.maps.grid import OccupancyGrid


def distance_to_obstacles(
    occupied: NDArray[np.bool_], resolution_m: float, limit_m: float, outside_occupied: bool = True
) -> NDArray[np.float32]:
    """Metres from each cell's centre to the nearest occupied square, at most `limit_m`; 0 in occupied cells.

    `occupied` has shape (rows, cols); with `outside_occupied` everything beyond the array counts as an obstacle.
    """
    padded = np.pad(occupied, 1, constant_values=outside_occupied)
    reach = math.ceil(limit_m / resolution_m) + 1
    along_rows = np.square(_gap(_nearest_in_row(padded, reach)))
    squared = along_rows.copy()
    for shift in range(1, reach + 1):
        if shift >= padded.shape[0]:
            break
        candidate = along_rows + np.float32((shift - 0.5) ** 2)
        np.minimum(squared[shift:], candidate[:-shift], out=squared[shift:])
        np.minimum(squared[:-shift], candidate[shift:], out=squared[:-shift])
    metres = np.sqrt(squared[1:-1, 1:-1]) * np.float32(resolution_m)
    limited: NDArray[np.float32] = np.minimum(metres, np.float32(limit_m))
    return limited


def inflate(grid: OccupancyGrid, radius_m: float) -> OccupancyGrid:
    """Grow obstacles so that a disc of `radius_m` centred in a free cell touches no occupied cell and stays inside."""
    near = distance_to_obstacles(grid.occupied, grid.resolution_m, radius_m + grid.resolution_m)
    return grid.with_data(grid.occupied | (near < radius_m - 1e-6))


def _nearest_in_row(occupied: NDArray[np.bool_], far: int) -> NDArray[np.float32]:
    """Cells between each cell and the nearest occupied one of its row; `far` where there is none that near."""
    columns = np.arange(occupied.shape[1], dtype=np.int32)
    left = np.maximum.accumulate(np.where(occupied, columns, np.int32(-(10**6))), axis=1)
    right = np.minimum.accumulate(np.where(occupied, columns, np.int32(10**6))[:, ::-1], axis=1)[:, ::-1]
    return np.minimum(np.minimum(columns - left, right - columns), far + 1).astype(np.float32)


def _gap(cells: NDArray[np.float32]) -> NDArray[np.float32]:
    gap: NDArray[np.float32] = np.maximum(cells - np.float32(0.5), np.float32(0.0))
    return gap
