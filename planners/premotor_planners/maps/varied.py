"""Very different maps of one size, for what must not depend on the map: empty, maze, spiral, random and closed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from premotor_planners.maps.grid import Cell

Cells = NDArray[np.bool_]
OCCUPIED_SHARE = 0.4
_Drawn = tuple[Cells, Cell, Cell]


@dataclass(frozen=True, eq=False)
class VariedMap:
    """`free` (size, size); `start` and `goal` lie in free cells, with or without a way between them."""

    kind: str
    free: Cells
    start: Cell
    goal: Cell


def varied_maps(count: int = 200, size: int = 128, seed: int = 0) -> list[VariedMap]:
    """`count` maps, the kinds in turn, each drawn anew. Raises ValueError for a size below 16."""
    if size < 16:
        raise ValueError(f"maps of {size} x {size} cells are too small for walls; give at least 16")
    random = np.random.default_rng(seed)
    kinds = list(KINDS)
    return [_drawn(kinds[i % len(kinds)], size, random) for i in range(count)]


def _drawn(kind: str, size: int, random: np.random.Generator) -> VariedMap:
    free, start, goal = KINDS[kind](size, random)
    free[start] = free[goal] = True
    return VariedMap(kind, free, start, goal)


def _empty(size: int, random: np.random.Generator) -> _Drawn:
    return np.ones((size, size), np.bool_), _any_cell(size, random), _any_cell(size, random)


def _random(size: int, random: np.random.Generator) -> _Drawn:
    return random.random((size, size)) >= OCCUPIED_SHARE, _any_cell(size, random), _any_cell(size, random)


def _maze(size: int, random: np.random.Generator) -> _Drawn:
    """A tree of passages one cell wide, grown from the upper left; start and goal in opposite corners."""
    free = np.zeros((size, size), np.bool_)
    free[1, 1] = True
    way = [(1, 1)]
    while way:
        row, col = way[-1]
        ahead = [(row + 2 * dr, col + 2 * dc) for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        open_ = [(r, c) for r, c in ahead if 0 < r < size - 1 and 0 < c < size - 1 and not free[r, c]]
        if not open_:
            way.pop()
            continue
        r, c = open_[int(random.integers(len(open_)))]
        free[r, c] = free[(row + r) // 2, (col + c) // 2] = True
        way.append((r, c))
    last = size - 3 + size % 2
    return free, (1, 1), (last, last)


def _spiral(size: int, random: np.random.Generator) -> _Drawn:
    """One passage that winds inwards between walls one cell thick; the start outside, the goal at its end."""
    width, mirrored = int(random.integers(1, 5)), bool(random.integers(2))
    most = (size - width) // (width + 1)
    turns = int(random.integers(most // 2, most + 1))
    thin, end = _thin_spiral(2 * turns + 1)
    thick = np.where(np.arange(2 * turns + 1) % 2, 1, width)
    wide = np.repeat(np.repeat(thin, thick, axis=0), thick, axis=1)
    free = np.zeros((size, size), np.bool_)
    free[: len(wide), : len(wide)] = wide
    row, col = (int(thick[:i].sum()) for i in end)
    return (free[:, ::-1].copy(), (0, size - 1), (row, size - 1 - col)) if mirrored else (free, (0, 0), (row, col))


def _thin_spiral(size: int) -> tuple[Cells, Cell]:
    """A passage and walls one cell wide in an odd size, and where the passage ends."""
    free = np.zeros((size, size), np.bool_)
    row, col, length, side = 0, 0, size - 1, 0
    free[0, 0] = True
    while length > 0:
        dr, dc = ((0, 1), (1, 0), (0, -1), (-1, 0))[side % 4]
        for _ in range(length):
            row, col = row + dr, col + dc
            free[row, col] = True
        side += 1
        length -= 2 if side >= 3 and side % 2 else 0  # the first three sides are whole
    return free, (row, col)


def _closed(size: int, random: np.random.Generator) -> _Drawn:
    """Open floor, and a closed wall around the goal; the start is outside."""
    half = int(random.integers(2, size // 4))
    row, col = (int(i) for i in random.integers(half + 1, size - half - 1, 2))
    free = np.ones((size, size), np.bool_)
    free[row - half : row + half + 1, col - half : col + half + 1] = False
    free[row - half + 1 : row + half, col - half + 1 : col + half] = True
    corner = (0 if row > size // 2 else size - 1, 0 if col > size // 2 else size - 1)
    return free, corner, (row, col)


def _any_cell(size: int, random: np.random.Generator) -> Cell:
    row, col = random.integers(size, size=2)
    return int(row), int(col)


KINDS: dict[str, Callable[[int, np.random.Generator], _Drawn]] = {
    "empty": _empty,
    "maze": _maze,
    "spiral": _spiral,
    "random": _random,
    "closed": _closed,
}
