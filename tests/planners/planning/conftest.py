from __future__ import annotations

import heapq
import math
from collections.abc import Callable

import numpy as np
import pytest

from premotor_foundation.native_code.errors import BuildError
from premotor_planners.planning.native.library import planning_library

Cell = tuple[int, int]
STEPS = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if (dr, dc) != (0, 0)]


@pytest.fixture(scope="session", autouse=True)
def _needs_compiler() -> None:
    """The searches are native only: the library is built, or found in the user's cache."""
    try:
        planning_library()
    except BuildError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def costs_from() -> Callable[..., np.ndarray]:
    """Dijkstra from one cell: what every other costs, inf where no way leads. The definition, step by step."""

    def search(free: np.ndarray, start: Cell, factor: np.ndarray | None = None) -> np.ndarray:
        costs = np.full(free.shape, math.inf)
        if not free[start]:
            return costs
        costs[start] = 0.0
        queue = [(0.0, start)]
        while queue:
            cost, (r, c) = heapq.heappop(queue)
            if cost > costs[r, c]:
                continue
            for dr, dc in STEPS:
                s, d = r + dr, c + dc
                if not (0 <= s < free.shape[0] and 0 <= d < free.shape[1]):
                    continue
                if not (free[s, d] and free[r, d] and free[s, c]):
                    continue
                mean = 1.0 if factor is None else (factor[r, c] + factor[s, d]) / 2 / 1024
                reached = cost + math.hypot(dr, dc) * mean
                if reached < costs[s, d] - 1e-12:
                    costs[s, d] = reached
                    heapq.heappush(queue, (reached, (s, d)))
        return costs

    return search


@pytest.fixture(scope="session")
def legal() -> Callable[[np.ndarray, np.ndarray], bool]:
    """Whether cells are free, follow each other by one step, and no diagonal passes a corner."""

    def judge(free: np.ndarray, cells: np.ndarray) -> bool:
        for (r, c), (s, d) in zip(cells[:-1].tolist(), cells[1:].tolist(), strict=True):
            if max(abs(s - r), abs(d - c)) != 1 or not (free[r, d] and free[s, c]):
                return False
        return bool(free[cells[:, 0], cells[:, 1]].all())

    return judge
