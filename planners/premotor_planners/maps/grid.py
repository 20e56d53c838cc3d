"""An occupancy grid in the frame `map`, with Nav2's values.

Row 0 is the lowest y, column 0 the lowest x (as in nav_msgs/OccupancyGrid). Cell (row, col) covers
[origin_x + col * resolution, origin_x + (col + 1) * resolution) and likewise in y.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FREE = 0
OCCUPIED = 100
UNKNOWN = -1
Cell = tuple[int, int]
"""Row, column."""


@dataclass(frozen=True, eq=False)
class OccupancyGrid:
    """`data` int8 of shape (rows, cols), FREE, OCCUPIED, between them how likely, or UNKNOWN; not mutated.

    `origin_m` is the lower left corner (x, y). Whatever is not FREE counts as occupied.
    """

    data: NDArray[np.int8]
    resolution_m: float
    origin_m: tuple[float, float]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, columns."""
        rows, cols = self.data.shape
        return rows, cols

    @property
    def occupied(self) -> NDArray[np.bool_]:
        """True where a cell is not free."""
        return np.not_equal(self.data, FREE)

    def cell_of(self, x: float, y: float) -> Cell:
        """The cell that holds a point; possibly outside the grid (see `inside`). Raises ValueError on NaN or inf."""
        if not (math.isfinite(x) and math.isfinite(y)):
            raise ValueError(f"({x}, {y}) is not a point; coordinates must be finite")
        origin_x, origin_y = self.origin_m
        return math.floor((y - origin_y) / self.resolution_m), math.floor((x - origin_x) / self.resolution_m)

    def centre_of(self, cell: Cell) -> tuple[float, float]:
        """The middle of a cell, x and y in metres."""
        row, col = cell
        return (
            self.origin_m[0] + (col + 0.5) * self.resolution_m,
            self.origin_m[1] + (row + 0.5) * self.resolution_m,
        )

    def inside(self, cell: Cell) -> bool:
        """Whether a cell lies in the grid."""
        rows, cols = self.shape
        return 0 <= cell[0] < rows and 0 <= cell[1] < cols

    def is_free(self, cell: Cell) -> bool:
        """Whether a cell lies in the grid and is free."""
        return self.inside(cell) and bool(self.data[cell] == FREE)

    def with_data(self, occupied: NDArray[np.bool_]) -> OccupancyGrid:
        """The same frame with other content; `occupied` of the same shape."""
        data = np.where(occupied, OCCUPIED, FREE).astype(np.int8)
        return OccupancyGrid(data, self.resolution_m, self.origin_m)
