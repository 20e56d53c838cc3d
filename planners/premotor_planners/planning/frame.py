"""Where the cells of a cost grid lie in the map's frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from premotor_planners.maps.grid import Cell, OccupancyGrid
from premotor_planners.planning.search_map import Point
from premotor_planners.world.model import Pose


@dataclass(frozen=True, eq=False)
class Frame:
    """Cell (r, c) covers [origin + c * resolution, origin + (c + 1) * resolution) in x, likewise in y."""

    costs: NDArray[np.uint8]
    resolution_m: float
    origin_m: tuple[float, float]

    @cached_property
    def grid(self) -> OccupancyGrid:
        """The same frame as a grid; its content does not matter."""
        return OccupancyGrid(self.costs.view(np.int8), self.resolution_m, self.origin_m)

    def cell_of(self, x: float, y: float) -> Cell:
        """The cell that holds a point, possibly outside."""
        return self.grid.cell_of(x, y)

    def inside(self, cell: Cell) -> bool:
        """Whether a cell lies in the grid."""
        return self.grid.inside(cell)

    def centre_of(self, cell: Cell) -> tuple[float, float]:
        """The middle of a cell in metres."""
        return self.grid.centre_of(cell)

    def in_cells(self, pose: Pose | tuple[float, float]) -> Point:
        """A point in columns and rows."""
        return (pose[0] - self.origin_m[0]) / self.resolution_m, (pose[1] - self.origin_m[1]) / self.resolution_m

    def same_lattice(self, other: Frame) -> bool:
        """Whether both have the same cells."""
        mine, its = (f.costs.shape + f.origin_m + (f.resolution_m,) for f in (self, other))
        return mine == its
