"""A grid prepared for searches, in C++ (see `native/source`).

Moves go to the eight neighbours and cost their length; a diagonal needs both cells beside it free. Without `factor`
jump points are prepared, with it a step costs its length times the mean factor of its two cells and all cells are
searched. Results are exact and depend on nothing but the map and the two cells: lengths are whole numbers inside.
"""

from __future__ import annotations

import ctypes
import math
import struct
import weakref
from ctypes import c_double, c_int, c_int64, c_void_p
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from premotor_planners.errors import MapError
from premotor_planners.maps.grid import Cell
from premotor_planners.planning.native.library import planning_library, pointer
from premotor_planners.planning.stopping import UNLIMITED, Allowance

MOST_CELLS = 32_000
"""Rows or columns: jumps are 16-bit numbers."""
UNIT_FACTOR = 1024
MOST_FACTOR = 101 * UNIT_FACTOR
Point = tuple[float, float]
"""Column and row as real numbers: cell (r, c) covers [c, c + 1) x [r, r + 1)."""
_SQRT2 = math.sqrt(2.0)
_RESULT = struct.Struct("=qqqd")
"""Straight steps, diagonal steps, cells looked around from, cost (see `native/source/abi.cpp`)."""


class Unfound(IntEnum):
    """Why a search gave no way."""

    NO_WAY = -1
    TIMEOUT = -2
    CANCELLED = -3


class CellPath(NamedTuple):
    """`cells` int32 (n, 2), rows and columns from start to goal; `cost` in cells; steps of each kind."""

    cells: NDArray[np.int32]
    cost: float
    straight: int
    diagonal: int


class SearchMap:
    """Not to be used from two threads at once; calls release the interpreter lock."""

    def __init__(self, free: NDArray[np.bool_], factor: NDArray[np.int32] | None = None) -> None:
        """Prepare `free` (rows, cols), with `factor` in 1024ths of the same shape, from 1 to 101 times.

        Both are copied. Raises MapError for shapes and factors that cannot be, BuildError without a library.
        """
        library = planning_library()
        self._shape = _checked(free, factor)
        rows, cols = self._shape
        self._factors = factor is not None
        cells = np.ascontiguousarray(free, np.uint8)
        weighed = None if factor is None else np.ascontiguousarray(factor, np.int32)
        new = library.function("search_map_new", c_void_p, [c_int, c_int, c_void_p, c_void_p])
        map_ = new(rows, cols, pointer(cells), None if weighed is None else pointer(weighed))
        if not map_:
            raise MemoryError(f"no memory for a map of {rows} x {cols} cells")
        self._map = int(map_)
        weakref.finalize(self, library.function("search_map_delete", None, [c_void_p]), self._map)
        self._path = np.empty((rows * cols, 2), np.int32)
        self._result = bytearray(_RESULT.size)
        self._to = (pointer(self._path), ctypes.addressof(c_int64.from_buffer(self._result)))
        self._search = library.function(
            "search_map_search", c_int64, [c_void_p, c_int, c_int, c_int64, *[c_void_p] * 3]
        )
        self._renew = library.function("search_map_renew", c_int64, [c_void_p] * 3)
        self._nearest = library.function(
            "search_map_nearest", c_int64, [c_void_p, *[c_double] * 3, c_int, c_int64, c_void_p]
        )
        self._joined = library.function("search_map_joined", c_int, [c_void_p, c_int, c_int])
        self._clear = library.function("search_map_clear", c_int, [c_void_p, *[c_double] * 4])
        self._line_cost = library.function("search_map_line_cost", c_double, [c_void_p, *[c_double] * 4])
        self._shorten = library.function(
            "search_map_shorten", c_int64, [c_void_p, c_void_p, c_int64, c_int64, c_void_p, c_void_p]
        )
        self._tables = library.function("search_map_tables", c_void_p, [c_void_p])
        self._free = cells

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, columns."""
        return self._shape

    @property
    def expanded(self) -> int:
        """How many cells the last search looked around from."""
        return int(_RESULT.unpack(self._result)[2])

    def is_free(self, cell: Cell) -> bool:
        """Whether a cell lies in the map and is free."""
        rows, cols = self._shape
        return 0 <= cell[0] < rows and 0 <= cell[1] < cols and bool(self._free[cell])

    def search(self, start: Cell, goal: Cell, allowance: Allowance | None = None) -> CellPath | Unfound:
        """The cheapest way. Raises IndexError for a cell outside; from or to a cell that is not free there is none."""
        left, mark = (UNLIMITED, None) if allowance is None else (allowance.left_ns, allowance.mark)
        length = self._search(self._map, self._number(start), self._number(goal), left, mark, *self._to)
        if length < 0:
            return _unfound(length)
        straight, diagonal, _, cost = _RESULT.unpack(self._result)
        if not self._factors:
            cost = straight + diagonal * _SQRT2
        return CellPath(self._path[:length].copy(), cost, straight, diagonal)

    def renew(self, free: NDArray[np.bool_], factor: NDArray[np.int32] | None = None) -> int:
        """Other content of the same shape; only what follows from changed cells is prepared again.

        `factor` must be given exactly if it was before. Returns how many cells changed. Raises MapError.
        """
        if _checked(free, factor) != self._shape or (factor is not None) != self._factors:
            raise MapError(f"a map of {self._shape} cells cannot be renewed by one of {free.shape}; make a new one")
        self._free = np.ascontiguousarray(free, np.uint8)
        weighed = None if factor is None else np.ascontiguousarray(factor, np.int32)
        changed = self._renew(self._map, pointer(self._free), None if weighed is None else pointer(weighed))
        if changed < 0:
            raise MemoryError("no memory to prepare the map again; it must not be used")
        return int(changed)

    def nearest(
        self, point: Point, within: float, joined_with: Cell | None = None, allowance: Allowance | None = None
    ) -> Cell | Unfound:
        """The free cell with the centre nearest to `point`, at most `within` cells away.

        Of equally near ones the lowest; with `joined_with` only those that can be reached from there.
        """
        left, mark = (UNLIMITED, None) if allowance is None else (allowance.left_ns, allowance.mark)
        start = -1 if joined_with is None else self._number(joined_with)
        found = int(self._nearest(self._map, *point, within, start, left, mark))
        return _unfound(found) if found < 0 else divmod(found, self._shape[1])

    def joined(self, a: Cell, b: Cell) -> bool:
        """Whether a way leads from one cell to the other; known without a search. Raises IndexError."""
        return bool(self._joined(self._map, self._number(a), self._number(b)))

    def line_is_free(self, a: Point, b: Point) -> bool:
        """Whether every cell that the closed segment touches, its border included, lies in the map and is free."""
        return bool(self._clear(self._map, *a, *b))

    def line_cost(self, a: Point, b: Point) -> float:
        """The segment's length, each part times its cell's factor; inf for ends outside the map."""
        return float(self._line_cost(self._map, *a, *b))

    def shortened(self, points: NDArray[np.float64], allowance: Allowance) -> NDArray[np.int32] | Unfound:
        """Indices of the points (n, 2), at least one, that are left when free straight pieces replace the others.

        First and last are always kept. A piece that replaces others is free in the sense of `line_is_free` and costs no
        more than they do; a piece between neighbours is kept unquestioned.
        """
        xy = np.ascontiguousarray(points, np.float64)
        kept = np.empty(len(xy), np.int32)
        count = int(self._shorten(self._map, pointer(xy), len(xy), allowance.left_ns, allowance.mark, pointer(kept)))
        return _unfound(count) if count < 0 else kept[:count]

    def jump_tables(self) -> NDArray[np.int16]:
        """A copy of the tables, (rows, cols, 8), in the order N E S W NE SE SW NW; for tests. Raises ValueError."""
        address = self._tables(self._map)
        if not address:
            raise ValueError("a map with factors has no jump tables")
        rows, cols = self._shape
        size = (rows + 2) * (cols + 2) * 8
        values = np.ctypeslib.as_array((ctypes.c_int16 * size).from_address(address)).reshape(rows + 2, cols + 2, 8)
        return np.array(values[1:-1, 1:-1], np.int16)

    def _number(self, cell: Cell) -> int:
        row, col = cell
        rows, cols = self._shape
        if not (0 <= row < rows and 0 <= col < cols):
            raise IndexError(f"{cell} lies outside {rows} x {cols} cells")
        return int(row) * cols + int(col)


def _checked(free: NDArray[np.bool_], factor: NDArray[np.int32] | None) -> tuple[int, int]:
    if free.dtype != np.bool_ or free.ndim != 2 or not 1 <= min(free.shape) <= max(free.shape) <= MOST_CELLS:
        problem = f"`free` is {free.dtype} of shape {free.shape}"
        raise MapError(f"{problem}; give booleans (rows, cols) of 1 to {MOST_CELLS} each")
    if factor is not None:
        if factor.shape != free.shape:
            raise MapError(f"`factor` has the shape {factor.shape}, `free` {free.shape}; give them one shape")
        if free.any() and not (factor[free].min() >= UNIT_FACTOR and factor[free].max() <= MOST_FACTOR):
            raise MapError(f"`factor` holds values outside {UNIT_FACTOR} to {MOST_FACTOR} in free cells")
    return free.shape[0], free.shape[1]


def _unfound(code: int) -> Unfound:
    if code == -4:
        raise MemoryError("no memory for a search")
    return Unfound(code)


__all__ = ["MOST_CELLS", "MOST_FACTOR", "UNIT_FACTOR", "CellPath", "Point", "SearchMap", "Unfound"]
