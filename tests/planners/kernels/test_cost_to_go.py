from __future__ import annotations

import heapq
import math

import numpy as np
import pytest

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_planners.kernels.cost_to_go import LIMIT_CELLS, CostToGo
from premotor_planners.kernels.tensor import ReferenceRun
from premotor_planners.maps.grid import Cell, OccupancyGrid
from premotor_planners.motion.goal_field import GoalField, kernel_for

BOUND_CELLS = 0.02
"""Largest difference from Dijkstra seen allowed on these maps: float32 rounding of LIMIT - cost, 1e-4 a step."""


def grid_of(occupied: np.ndarray) -> OccupancyGrid:
    return OccupancyGrid(np.where(occupied, 100, 0).astype(np.int8), 1.0, (0.0, 0.0))


def dijkstra(occupied: np.ndarray, goal: Cell) -> np.ndarray:
    cost = np.full(occupied.shape, np.inf)
    if occupied[goal]:
        return cost
    cost[goal], queue = 0.0, [(0.0, goal)]
    free = ~occupied
    while queue:
        here, (row, col) = heapq.heappop(queue)
        if here > cost[row, col]:
            continue
        for dr in (-1, 0, 1):
            for dc in (-1, 0, 1):
                r, c = row + dr, col + dc
                if not (
                    0 <= r < free.shape[0] and 0 <= c < free.shape[1] and free[r, c] and free[row, c] and free[r, col]
                ):
                    continue
                total = here + math.hypot(dr, dc)
                if total < cost[r, c] - 1e-12:
                    cost[r, c] = total
                    heapq.heappush(queue, (total, (r, c)))
    return cost


def field(occupied: np.ndarray, goal: Cell, sweeps: int = 8, run: object = None) -> GoalField:
    kernel = CostToGo(*occupied.shape, sweeps)
    return GoalField(kernel, run or ReferenceRun(kernel), grid_of(occupied), goal).complete()  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(12))
def test_equal_to_dijkstra_without_corner_cutting(seed: int) -> None:
    random = np.random.default_rng(seed)
    occupied = random.random((25, 31)) < 0.05 * (seed % 9)
    goal = (int(random.integers(25)), int(random.integers(31)))
    found, exact = field(occupied, goal).costs_m(), dijkstra(occupied, goal)
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(exact))
    reached = np.isfinite(exact)
    assert np.abs(found[reached] - exact[reached]).max(initial=0.0) < BOUND_CELLS


def serpentine(size: int) -> np.ndarray:
    walls = np.zeros((size, size), np.bool_)
    for i, row in enumerate(range(1, size - 1, 2)):
        walls[row, :] = True
        walls[row, 0 if i % 2 else -1] = False
    return walls


def test_a_long_serpentine_is_reached_and_exact() -> None:
    walls = serpentine(41)
    found, exact = field(walls, (0, 0), sweeps=16).costs_m(), dijkstra(walls, (0, 0))
    reached = np.isfinite(exact)
    assert exact[reached].max() > 700
    assert np.abs(found[reached] - exact[reached]).max() < 0.1


def test_beyond_the_limit_counts_as_not_reached_in_bounded_runs() -> None:
    walls = serpentine(81)
    done = field(walls, (0, 0), sweeps=64)
    found, exact = done.costs_m(), dijkstra(walls, (0, 0))
    assert exact[np.isfinite(exact)].max() > LIMIT_CELLS
    assert done.runs <= LIMIT_CELLS / 64 + 1
    near = exact < LIMIT_CELLS - 1
    assert np.isfinite(found[near]).all() and np.isinf(found[exact > LIMIT_CELLS + 1]).all()


def test_a_diagonal_gap_is_closed() -> None:
    occupied = np.zeros((6, 6), np.bool_)
    occupied[range(6), range(5, -1, -1)] = True
    costs = field(occupied, (0, 0)).costs_m()
    assert np.isinf(costs[5, 5]) and np.isfinite(costs[0, 4])


def test_symmetric_in_start_and_goal() -> None:
    random = np.random.default_rng(7)
    occupied = random.random((30, 30)) < 0.2
    a, b = ((int(r), int(c)) for r, c in random.permutation(np.argwhere(~occupied))[:2])
    there, back = field(occupied, a).costs_m()[b], field(occupied, b).costs_m()[a]
    assert there == pytest.approx(back, abs=BOUND_CELLS)


def test_an_occupied_goal_reaches_nothing() -> None:
    occupied = np.zeros((8, 8), np.bool_)
    occupied[3, 3] = True
    assert np.isinf(field(occupied, (3, 3)).costs_m()).all()


@pytest.mark.parametrize(("rows", "cols", "sweeps"), [(2, 2, 1), (16, 24, 5), (33, 17, 12), (64, 64, 16)])
def test_onnx_equals_the_reference(rows: int, cols: int, sweeps: int) -> None:
    kernel = CostToGo(rows, cols, sweeps)
    run = CpuDevice().compile(kernel)
    random = np.random.default_rng(rows)
    for share in (0.0, 0.2, 1.0):
        free = (random.random((1, 1, rows, cols)) >= share).astype(np.float32)
        reach = (random.random((1, 1, rows, cols)) * LIMIT_CELLS * (random.random((1, 1, rows, cols)) < 0.1)).astype(
            np.float32
        )
        out = {"reach_next": kernel.outputs[0].zeros()}
        run.run({"reach": reach, "free": free}, out)
        expected = kernel.reference({"reach": reach, "free": free})["reach_next"]
        assert np.abs(out["reach_next"] - expected).max() <= kernel.tolerance


def test_the_kernel_covers_the_map_and_refuses_a_larger_one() -> None:
    assert (kernel_for((164, 224)).rows, kernel_for((164, 224)).cols) == (256, 256)
    assert (kernel_for((257, 600)).rows, kernel_for((257, 600)).cols) == (320, 640)
    kernel = CostToGo(8, 8, 1)
    with pytest.raises(ValueError, match="does not fit"):
        GoalField(kernel, ReferenceRun(kernel), grid_of(np.zeros((9, 8), np.bool_)), (0, 0))
    with pytest.raises(ValueError, match="1 sweep"):
        CostToGo(8, 8, 0)
