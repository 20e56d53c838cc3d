"""The cost-to-go of a whole map, computed in submissions of bounded length."""

from __future__ import annotations

import math

import numpy as np

from premotor_planners.kernels.cost_to_go import LIMIT_CELLS, CostToGo
from premotor_planners.kernels.tensor import Compiled, Field
from premotor_planners.maps.grid import Cell, OccupancyGrid

_BLOCK = 64


def kernel_for(shape: tuple[int, int], sweeps: int = 16) -> CostToGo:
    """The kernel that covers a map of `shape` (rows, cols): 256 x 256, or the next multiples of 64 above."""
    rows, cols = (max(256, _BLOCK * math.ceil(size / _BLOCK)) for size in shape)
    return CostToGo(rows, cols, sweeps)


class GoalField:
    """Distances to one goal over `grid` (already grown by the planning radius), which must fit the kernel.

    `advance` runs the kernel once; after at most LIMIT_CELLS / sweeps + 1 runs nothing changes any more. Raises
    ValueError where the map is larger than the kernel.
    """

    def __init__(self, kernel: CostToGo, run: Compiled, grid: OccupancyGrid, goal: Cell) -> None:
        rows, cols = grid.shape
        if rows > kernel.rows or cols > kernel.cols:
            raise ValueError(f"a map of {rows} x {cols} cells does not fit the kernel's {kernel.rows} x {kernel.cols}")
        self.grid = grid
        self.goal = goal
        self.runs = 0
        self.done = False
        self._run = run
        self._most = math.ceil(LIMIT_CELLS / kernel.sweeps) + 1
        self._free = kernel.inputs[1].zeros()
        self._free[0, 0, :rows, :cols] = ~grid.occupied
        self._reach, self._next = kernel.inputs[0].zeros(), kernel.outputs[0].zeros()
        if grid.is_free(goal):
            self._reach[0, 0, goal[0], goal[1]] = LIMIT_CELLS

    def advance(self) -> bool:
        """One run of the kernel; True once the field is complete (then a further call does nothing)."""
        if not self.done:
            self._run.run({"reach": self._reach, "free": self._free}, {"reach_next": self._next})
            self.runs += 1
            self.done = self.runs >= self._most or bool(np.array_equal(self._reach, self._next))
            self._reach, self._next = self._next, self._reach
        return self.done

    def complete(self) -> GoalField:
        """Run to the end; this object."""
        while not self.advance():
            pass
        return self

    def costs_m(self) -> Field:
        """Metres to the goal, shape of the map; inf in obstacles and where the goal has not been reached."""
        rows, cols = self.grid.shape
        reach = self._reach[0, 0, :rows, :cols]
        cost = np.where(reach > 0.0, (LIMIT_CELLS - reach) * self.grid.resolution_m, np.inf)
        return cost.astype(np.float32)
