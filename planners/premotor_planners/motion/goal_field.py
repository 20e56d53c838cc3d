"""The cost-to-go of a whole map, computed in submissions of bounded length."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.cost_to_go import DIAGONAL, STRAIGHT, CostToGo
from premotor_planners.kernels.tensor import Compiled, Field
from premotor_planners.maps.grid import Cell, OccupancyGrid

_BLOCK = 64
_UNKNOWN = -1


def kernel_for(shape: tuple[int, int], sweeps: int | None = 16) -> CostToGo:
    """The kernel that covers a map of `shape` (rows, cols): 256 x 256, or the next multiples of 64 above."""
    rows, cols = (max(256, _BLOCK * math.ceil(size / _BLOCK)) for size in shape)
    return CostToGo(rows, cols, sweeps)


class GoalField:
    """Distances to one goal over `grid` (already grown by the planning radius), which must fit the kernel.

    `advance` runs the kernel once. What lies beyond the kernel's budget is reached in further stages, each of which
    starts from the rim of what is known; so every free cell that can be reached is, and every distance is exact in the
    kernel's steps. Raises ValueError where the map is larger than the kernel.
    """

    def __init__(self, kernel: CostToGo, run: Compiled, grid: OccupancyGrid, goal: Cell) -> None:
        rows, cols = grid.shape
        if rows > kernel.rows or cols > kernel.cols:
            raise ValueError(f"a map of {rows} x {cols} cells does not fit the kernel's {kernel.rows} x {kernel.cols}")
        self.grid = grid
        self.goal = goal
        self.runs = 0
        self.done = False
        self._kernel = kernel
        self._run = run
        self._free = kernel.inputs[1].zeros()
        self._free[0, 0, :rows, :cols] = ~grid.occupied
        self._reach, self._next = kernel.inputs[0].zeros(), kernel.outputs[0].zeros()
        self._costs: NDArray[np.int32] = np.full((kernel.rows, kernel.cols), _UNKNOWN, np.int32)
        self._stage_runs = self._stage_cost = 0
        if grid.is_free(goal):
            self._reach[0, 0, goal[0], goal[1]] = kernel.limit

    def advance(self) -> bool:
        """One run of the kernel; True once the field is complete (then a further call does nothing)."""
        if self.done:
            return True
        self._run.run({"reach": self._reach, "free": self._free}, {"reach_next": self._next})
        self.runs += 1
        self._stage_runs += 1
        still = self._stage_runs >= self._kernel.runs or bool(np.array_equal(self._reach, self._next))
        self._reach, self._next = self._next, self._reach
        if still:
            self.done = not self._begin_stage()
        return self.done

    def complete(self) -> GoalField:
        """Run to the end; this object."""
        while not self.advance():
            pass
        return self

    def costs_m(self) -> Field:
        """Metres to the goal, shape of the map; inf in obstacles and where the goal has not been reached."""
        rows, cols = self.grid.shape
        known = self._known()[:rows, :cols]
        metres = known * (self.grid.resolution_m / STRAIGHT)
        return np.where(known == _UNKNOWN, np.inf, metres).astype(np.float32)

    def _known(self) -> NDArray[np.int32]:
        """Costs in fifths of a cell, those of the stage at hand included."""
        reach = self._reach[0, 0]
        new = (self._costs == _UNKNOWN) & (reach > 0)
        costs = np.where(new, self._stage_cost + self._kernel.limit - reach, self._costs)
        return costs.astype(np.int32)

    def _begin_stage(self) -> bool:
        """Keep what the stage found; go on from the cells within a step of its limit, if anything is still unknown."""
        self._costs = self._known()
        next_cost = self._stage_cost + self._kernel.limit - DIAGONAL
        rim = self._costs >= next_cost
        if not rim.any() or not ((self._costs == _UNKNOWN) & (self._free[0, 0] > 0)).any():
            return False
        self._reach[0, 0] = np.where(rim, self._kernel.limit - (self._costs - next_cost), 0)
        self._stage_cost, self._stage_runs = next_cost, 0
        return True
