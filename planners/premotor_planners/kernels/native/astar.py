"""A* on a grid, in C++: what `cost_to_go` is measured beside, with the same steps (5 and 7, no corner cut)."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_int, c_int64, c_void_p

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.native.library import kernel_library, pointer
from premotor_planners.maps.grid import Cell


class AStar:
    """Searches over `free`, shape (rows, cols), which is copied. Raises BuildError where there is no library."""

    def __init__(self, free: NDArray[np.bool_]) -> None:
        self._free = np.ascontiguousarray(free, np.float32)
        arguments = [c_int, c_int, c_void_p, c_int, c_int, POINTER(c_int64)]
        self._call = kernel_library().function("astar", c_int64, arguments)
        self._expanded = c_int64()

    @property
    def expanded(self) -> int:
        """How many cells the last search looked around from."""
        return int(self._expanded.value)

    def cost(self, start: Cell, goal: Cell) -> int | None:
        """Fifths of a cell from `start` to `goal`, None without a way. Raises IndexError for a cell outside."""
        ends = (self._number(start), self._number(goal))
        found = int(self._call(*self._free.shape, pointer(self._free), *ends, ctypes.byref(self._expanded)))
        return None if found < 0 else found

    def _number(self, cell: Cell) -> int:
        rows, cols = self._free.shape
        if not (0 <= cell[0] < rows and 0 <= cell[1] < cols):
            raise IndexError(f"{cell} lies outside {rows} x {cols} cells")
        return int(cell[0] * cols + cell[1])
