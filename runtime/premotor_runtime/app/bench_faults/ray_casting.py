"""A lidar on a map: how far it is to the first occupied cell along each beam."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from premotor_planners.maps.grid import OccupancyGrid


class RayCaster:
    """Samples each beam every half cell, up to `range_m`; nothing hit is +inf. Beyond the map nothing is."""

    def __init__(self, grid: OccupancyGrid, beams: int, range_m: float) -> None:
        self._occupied, self._grid = grid.occupied, grid
        self._angles = np.arange(beams) * (2 * np.pi / beams)
        self._distances = np.arange(1, int(range_m / grid.resolution_m * 2)) * (grid.resolution_m / 2)

    def ranges(self, x: float, y: float, yaw: float) -> NDArray[np.float32]:
        """Metres by beam, the first straight ahead, counter-clockwise; float32, a new array."""
        angles = self._angles[:, None] + yaw
        cols = ((x - self._grid.origin_m[0] + np.cos(angles) * self._distances) / self._grid.resolution_m).astype(int)
        rows = ((y - self._grid.origin_m[1] + np.sin(angles) * self._distances) / self._grid.resolution_m).astype(int)
        last_row, last_col = self._occupied.shape[0] - 1, self._occupied.shape[1] - 1
        hit = self._occupied[np.clip(rows, 0, last_row), np.clip(cols, 0, last_col)]
        hit &= (rows >= 0) & (cols >= 0) & (rows <= last_row) & (cols <= last_col)
        first = np.where(hit.any(axis=1), self._distances[hit.argmax(axis=1)], np.inf)
        found: NDArray[np.float32] = first.astype(np.float32)
        return found
