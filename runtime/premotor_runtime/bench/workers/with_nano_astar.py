"""nano-astar, each query timed where it runs. Needs only its package and numpy."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np


class NanoAStar:
    """Its interface takes a contiguous grid of bytes as it is; there is nothing to prepare."""

    def __init__(self) -> None:
        self._astar: Callable[..., Any] = import_module("nano_astar").astar
        self._grid: Any = None

    def load(self, path: str) -> None:
        """The map in the .npy file at `path`: bytes, 0 where one may go."""
        self._grid = np.ascontiguousarray(np.load(path, allow_pickle=False), np.uint8)

    def solve(self, queries: Sequence[Sequence[int]]) -> list[tuple[float, float | None]]:
        """For each (start row, start column, goal row, goal column): seconds, and the cost, None without a way."""
        return [self._solved((a, b), (c, d)) for a, b, c, d in queries]

    def _solved(self, start: tuple[int, int], goal: tuple[int, int]) -> tuple[float, float | None]:
        began = time.perf_counter()
        found = self._astar(self._grid, start, goal)
        took = time.perf_counter() - began
        return took, None if found is None else float(found[1])


def open_engine() -> NanoAStar:
    """The package, loaded."""
    return NanoAStar()
