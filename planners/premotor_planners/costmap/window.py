"""One state of the costmap, as controllers and planners read it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from premotor_planners.costmap.values import LETHAL, NO_INFORMATION
from premotor_planners.maps.grid import FREE, OCCUPIED, Cell, OccupancyGrid


@dataclass(frozen=True, eq=False)
class CostWindow:
    """Costs around the robot in the map's frame; every array is its own and read-only.

    `costs` uint8 (rows, cols), row 0 the lowest y; `origin_m` the lower left corner. `squared_cells` uint16 (rows,
    cols): squared distance between a cell's centre and the nearest lethal cell's centre, in cells, up to the inflation
    radius; more than that beyond it. `ignored` says why the scan or the pose was not used, empty when it was.
    """

    costs: NDArray[np.uint8]
    squared_cells: NDArray[np.uint16]
    reach_cells: int
    resolution_m: float
    origin_m: tuple[float, float]
    stamp_s: float
    ignored: str = ""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, columns."""
        rows, cols = self.costs.shape
        return rows, cols

    def cell_of(self, x: float, y: float) -> Cell:
        """The cell that holds a point, possibly outside the window. Raises ValueError on NaN or inf."""
        if not (math.isfinite(x) and math.isfinite(y)):
            raise ValueError(f"({x}, {y}) is not a point; coordinates must be finite")
        origin_x, origin_y = self.origin_m
        return math.floor((y - origin_y) / self.resolution_m), math.floor((x - origin_x) / self.resolution_m)

    def centre_of(self, cell: Cell) -> tuple[float, float]:
        """The middle of a cell, x and y in metres."""
        return (
            self.origin_m[0] + (cell[1] + 0.5) * self.resolution_m,
            self.origin_m[1] + (cell[0] + 0.5) * self.resolution_m,
        )

    def inside(self, cell: Cell) -> bool:
        """Whether a cell lies in the window."""
        return 0 <= cell[0] < self.shape[0] and 0 <= cell[1] < self.shape[1]

    def cost_at(self, x: float, y: float) -> int:
        """The cost at a point; NO_INFORMATION outside the window and for a point that is not finite."""
        if not (math.isfinite(x) and math.isfinite(y)):
            return NO_INFORMATION
        cell = self.cell_of(x, y)
        return int(self.costs[cell]) if self.inside(cell) else NO_INFORMATION

    def free(self, below: int = LETHAL, unknown_is_free: bool = True) -> NDArray[np.float32]:
        """1 where the cost is less than `below`, else 0; shape (1, 1, rows, cols): what `cspace`, `cost_to_go` take."""
        unknown = self.costs == NO_INFORMATION
        free = np.where(unknown, unknown_is_free, self.costs < below)
        return free[None, None].astype(np.float32)

    @cached_property
    def distance_m(self) -> NDArray[np.float32]:
        """Metres from each cell's centre to the nearest lethal cell's, at most the reach of the inflation in cells."""
        roots = np.sqrt(np.arange(self.reach_cells**2 + 1, dtype=np.float32)) * np.float32(self.resolution_m)
        return np.asarray(roots[np.minimum(self.squared_cells, self.reach_cells**2)])

    def occupancy(self) -> OccupancyGrid:
        """Lethal cells as an occupancy grid; unknown ones count as free."""
        data = np.where(self.costs == LETHAL, OCCUPIED, FREE).astype(np.int8)
        return OccupancyGrid(data, self.resolution_m, self.origin_m)
