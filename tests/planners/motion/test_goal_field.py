from __future__ import annotations

import heapq
from typing import Any

import numpy as np
import pytest

from premotor_planners.kernels.cost_to_go import DIAGONAL, STRAIGHT, CostToGo
from premotor_planners.kernels.tensor import ReferenceRun
from premotor_planners.maps.grid import Cell, OccupancyGrid
from premotor_planners.motion.goal_field import GoalField, kernel_for


def grid_of(free: np.ndarray) -> OccupancyGrid:
    return OccupancyGrid(np.where(free, 0, 100).astype(np.int8), 1.0, (0.0, 0.0))


def field(free: np.ndarray, goal: Cell, **sizes: Any) -> GoalField:
    kernel = CostToGo(*free.shape, **sizes)
    return GoalField(kernel, ReferenceRun(kernel), grid_of(free), goal).complete()


def exact_cells(free: np.ndarray, goal: Cell) -> np.ndarray:
    cost = np.full(free.shape, np.inf)
    cost[goal], queue = 0, [(0, goal)]
    while queue:
        here, (row, col) = heapq.heappop(queue)
        if here > cost[row, col]:
            continue
        for r in range(max(row - 1, 0), min(row + 2, free.shape[0])):
            for c in range(max(col - 1, 0), min(col + 2, free.shape[1])):
                total = here + (DIAGONAL if r != row and c != col else STRAIGHT)
                if free[r, c] and free[row, c] and free[r, col] and total < cost[r, c]:
                    cost[r, c] = total
                    heapq.heappush(queue, (total, (r, c)))
    return cost / STRAIGHT


def serpentine(size: int) -> np.ndarray:
    free = np.ones((size, size), np.bool_)
    for i, row in enumerate(range(1, size - 1, 2)):
        free[row, :] = False
        free[row, 0 if i % 2 else -1] = True
    return free


@pytest.mark.parametrize("sizes", [{}, {"sweeps": 16}, {"sweeps": 7, "budget": 30}, {"budget": 1}, {"budget": 408}])
def test_ways_longer_than_the_budget_are_reached_in_stages_and_exact(sizes: dict[str, int]) -> None:
    free = serpentine(21)
    done = field(free, (0, 0), **sizes)
    exact = exact_cells(free, (0, 0))
    assert exact[free].max() > 200
    np.testing.assert_array_equal(done.costs_m(), exact.astype(np.float32))


@pytest.mark.parametrize("seed", range(10))
def test_stages_on_random_maps_are_exact(seed: int) -> None:
    random = np.random.default_rng(seed)
    free = random.random((25, 31)) >= 0.05 * (seed % 9)
    goal = tuple(int(i) for i in np.argwhere(free)[random.integers(50)])
    done = field(free, (goal[0], goal[1]), sweeps=3, budget=5 + seed)
    np.testing.assert_array_equal(done.costs_m(), exact_cells(free, (goal[0], goal[1])).astype(np.float32))


def test_runs_are_bounded_and_end_early_where_nothing_changes() -> None:
    free = np.ones((60, 60), np.bool_)
    free[:, 5] = False
    near = field(free, (30, 2), sweeps=8)
    assert near.runs <= 60 // 8 + 2
    assert field(free, (30, 2)).runs == 1
    before = near.runs
    assert near.advance() and near.runs == before


def test_an_occupied_goal_reaches_nothing() -> None:
    free = np.ones((8, 8), np.bool_)
    free[3, 3] = False
    assert np.isinf(field(free, (3, 3)).costs_m()).all()


def test_the_kernel_covers_the_map_and_refuses_a_larger_one() -> None:
    assert (kernel_for((164, 224)).rows, kernel_for((164, 224)).cols) == (256, 256)
    assert (kernel_for((257, 600)).rows, kernel_for((257, 600)).cols) == (320, 640)
    kernel = CostToGo(8, 8, 1)
    with pytest.raises(ValueError, match="does not fit"):
        GoalField(kernel, ReferenceRun(kernel), grid_of(np.ones((9, 8), np.bool_)), (0, 0))
