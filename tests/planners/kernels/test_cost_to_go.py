from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_planners.errors import MapError
from premotor_planners.kernels.cost_to_go import DIAGONAL, MOST_BUDGET, MOST_LIMIT, STRAIGHT, CostToGo
from premotor_planners.maps.grid import Cell

Arrays = dict[str, Any]
MOST_SHORT = math.sqrt(2) * STRAIGHT / DIAGONAL
"""Exact costs are at most this many times the kernel's."""


def dijkstra(free: np.ndarray, goal: Cell, straight: float, diagonal: float) -> np.ndarray:
    cost = np.full(free.shape, np.inf)
    if not free[goal]:
        return cost
    cost[goal], queue = 0.0, [(0.0, goal)]
    while queue:
        here, (row, col) = heapq.heappop(queue)
        if here > cost[row, col]:
            continue
        for dr in (-1, 0, 1):
            for dc in (-1, 0, 1):
                r, c = row + dr, col + dc
                inside = 0 <= r < free.shape[0] and 0 <= c < free.shape[1]
                if not (dr or dc) or not (inside and free[r, c] and free[row, c] and free[r, col]):
                    continue
                total = here + (diagonal if dr and dc else straight)
                if total < cost[r, c] - 1e-12:
                    cost[r, c] = total
                    heapq.heappush(queue, (total, (r, c)))
    return cost


def start(kernel: CostToGo, free: np.ndarray, goal: Cell) -> Arrays:
    reach = kernel.inputs[0].zeros()
    reach[0, 0, goal[0], goal[1]] = kernel.limit
    return {"reach": reach, "free": np.ascontiguousarray(free[None, None], np.float32)}


def by_all(kernel: CostToGo, inputs: Arrays) -> np.ndarray:
    """The reference's result, after the others were held to it bit for bit."""
    expected = kernel.reference(inputs)["reach_next"]
    for run in (CpuDevice(implementation="onnxruntime").compile(kernel).run, kernel.native().run):
        out = {"reach_next": np.full(expected.shape, -1.0, np.float32)}
        run(inputs, out)
        np.testing.assert_array_equal(out["reach_next"], expected)
    result: np.ndarray = expected[0, 0]
    return result


def random_free(seed: int, shape: tuple[int, int], share: float) -> np.ndarray:
    free: np.ndarray = np.random.default_rng(seed).random(shape) >= share
    return free


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(st.integers(2, 40), st.integers(2, 150)),
    st.integers(0, 10**6),
    st.sampled_from([0.0, 0.1, 0.4, 0.7, 1.0]),
    st.integers(1, 20),
    st.data(),
)
def test_all_implementations_give_the_same_bits(
    needs_compiler: None, shape: tuple[int, int], seed: int, share: float, sweeps: int, data: st.DataObject
) -> None:
    kernel = CostToGo(*shape, sweeps, budget=data.draw(st.integers(1, MOST_BUDGET)))
    random = np.random.default_rng(seed)
    reach = np.floor(random.random(shape) * (kernel.limit + 1)) * (random.random(shape) < 0.1)
    inputs = start(kernel, random_free(seed, shape, share), (0, 0))
    inputs["reach"][0, 0] = reach
    by_all(kernel, inputs)


@settings(max_examples=30, deadline=None)
@given(st.tuples(st.integers(2, 24), st.integers(2, 24)), st.integers(0, 10**6), st.floats(0.0, 0.6))
def test_what_is_reached_is_exact_and_the_rest_is_beyond_the_budget(
    shape: tuple[int, int], seed: int, share: float
) -> None:
    free = random_free(seed, shape, share)
    goal = tuple(int(i) for i in np.argwhere(free)[0]) if free.any() else (0, 0)
    kernel = CostToGo(*shape, budget=1 + seed % 30)
    reach = kernel.reference(start(kernel, free, (goal[0], goal[1])))["reach_next"][0, 0]
    exact = dijkstra(free, (goal[0], goal[1]), STRAIGHT, DIAGONAL)
    np.testing.assert_array_equal(reach, np.maximum(kernel.limit - exact, 0))


@pytest.mark.parametrize("seed", range(6))
def test_the_error_against_dijkstra_with_exact_diagonals_is_as_stated(seed: int) -> None:
    free = random_free(seed, (40, 44), 0.08 * seed)
    goal = tuple(int(i) for i in np.argwhere(free)[7])
    kernel = CostToGo(40, 44, budget=MOST_BUDGET)
    reach = kernel.reference(start(kernel, free, (goal[0], goal[1])))["reach_next"][0, 0]
    exact = dijkstra(free, (goal[0], goal[1]), 1.0, math.sqrt(2))
    np.testing.assert_array_equal(reach > 0, np.isfinite(exact))
    cost, known = (kernel.limit - reach.astype(np.float64)) / STRAIGHT, reach > 0
    assert (cost[known] <= exact[known] + 1e-6).all() and (exact[known] <= MOST_SHORT * cost[known] + 1e-6).all()


def test_runs_in_pieces_end_where_one_run_ends(needs_compiler: None) -> None:
    free = random_free(3, (50, 70), 0.3)
    free[10, 10] = True
    whole, pieces = CostToGo(50, 70), CostToGo(50, 70, 7)
    assert (whole.runs, pieces.runs) == (1, 15)
    inputs = start(pieces, free, (10, 10))
    for _ in range(pieces.runs):
        inputs["reach"] = by_all(pieces, inputs)[None, None]
    np.testing.assert_array_equal(inputs["reach"][0, 0], by_all(whole, start(whole, free, (10, 10))))


def serpentine(size: int) -> np.ndarray:
    free = np.ones((size, size), np.bool_)
    for i, row in enumerate(range(1, size - 1, 2)):
        free[row, :] = False
        free[row, 0 if i % 2 else -1] = True
    return free


def test_a_way_longer_than_the_budget_is_unreached_never_wrong() -> None:
    free = serpentine(41)
    kernel = CostToGo(41, 41)
    reach = kernel.reference(start(kernel, free, (0, 0)))["reach_next"][0, 0]
    exact = dijkstra(free, (0, 0), STRAIGHT, DIAGONAL)
    assert exact[free].max() > 5 * kernel.limit
    np.testing.assert_array_equal(reach, np.maximum(kernel.limit - exact, 0))


@pytest.mark.parametrize("size", [128, 256])
def test_an_empty_window_is_reached_from_any_corner_and_fits_float16(size: int) -> None:
    kernel = CostToGo(size, size)
    assert DIAGONAL * (size - 1) < kernel.limit <= MOST_LIMIT
    assert np.float16(kernel.limit) == kernel.limit
    reach = kernel.reference(start(kernel, np.ones((size, size)), (0, 0)))["reach_next"]
    assert (reach > 0).all() and (reach.astype(np.float16) == reach).all()


def test_a_diagonal_gap_is_closed_and_an_occupied_goal_reaches_nothing(needs_compiler: None) -> None:
    free = np.ones((6, 6), np.bool_)
    free[range(6), range(5, -1, -1)] = False
    kernel = CostToGo(6, 6)
    reach = by_all(kernel, start(kernel, free, (0, 0)))
    assert reach[5, 5] == 0 and reach[0, 4] > 0
    assert (by_all(kernel, start(kernel, free, (0, 5))) == 0).all()


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3))
def test_turning_the_map_turns_the_result(needs_compiler: None, seed: int, quarter: int) -> None:
    kernel = CostToGo(21, 21)
    free = random_free(seed, (21, 21), 0.3)
    mark = np.zeros((21, 21))
    mark[5, 9] = 1
    row, col = (int(i) for i in np.argwhere(np.rot90(mark, quarter))[0])
    turned = by_all(kernel, start(kernel, np.rot90(free, quarter), (row, col)))
    np.testing.assert_array_equal(turned, np.rot90(by_all(kernel, start(kernel, free, (5, 9))), quarter))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -1.0, 0.5, 1e30, 2049.0, 1e-40])
@pytest.mark.parametrize("name", ["reach", "free"])
@pytest.mark.parametrize("place", [(0, 0), (7, 10), (5, 6)])
def test_values_that_no_map_has_are_refused_by_all(needs_compiler: None, name: str, value: float, place: Cell) -> None:
    kernel = CostToGo(8, 11)
    inputs = start(kernel, np.ones((8, 11)), (3, 3))
    inputs[name][0, 0, place[0], place[1]] = value
    device = CpuDevice(implementation="onnxruntime").compile(kernel)
    out = {"reach_next": np.full((1, 1, 8, 11), -7.0, np.float32)}
    compiled = [lambda given, run=run: run(given, out) for run in (device.run, kernel.native().run)]
    for run in (kernel.reference, *compiled):
        with pytest.raises(MapError, match=rf"`{name}` holds .* at \(0, 0, {place[0]}, {place[1]}\); give"):
            run(inputs)
    assert (out["reach_next"] == -7.0).all()


def test_minus_zero_is_zero(needs_compiler: None) -> None:
    kernel = CostToGo(8, 11)
    inputs = start(kernel, np.ones((8, 11)), (3, 3))
    inputs["reach"][inputs["reach"] == 0] = -0.0
    inputs["free"][0, 0, 2, :] = -0.0
    by_all(kernel, inputs)


def test_the_graph_is_opset_17_with_static_shapes_and_only_operators_for_a_dla() -> None:
    model = onnx.load_from_string(CostToGo(32, 48, 3).onnx())
    assert [entry.version for entry in model.opset_import if not entry.domain] == [17]
    assert {node.op_type for node in model.graph.node} == {"Conv", "Relu", "Mul", "MaxPool", "Max", "Add"}
    assert all(node.name for node in model.graph.node) and len(model.graph.node) == 3 + 3 * 11
    for value in (*model.graph.input, *model.graph.output):
        assert [size.dim_value for size in value.type.tensor_type.shape.dim] == [1, 1, 32, 48]


@pytest.mark.parametrize("bad", [{"sweeps": 0}, {"rows": 1}, {"budget": 0}, {"budget": MOST_BUDGET + 1}])
def test_sizes_that_cannot_be(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="CostToGo"):
        CostToGo(**bad)
