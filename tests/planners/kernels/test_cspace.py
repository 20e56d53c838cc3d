from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_planners.errors import MapError
from premotor_planners.kernels.cspace import MOST_INFLATION, CSpace
from premotor_planners.kernels.cspace_outline import MOST_REACH, outline_cells, outline_runs
from premotor_planners.maps.distance import distance_to_obstacles
from premotor_planners.motion.footprint import ConvexPolygon

Arrays = dict[str, Any]
RECTANGLE = ((0.3, 0.2), (-0.3, 0.2), (-0.3, -0.2), (0.3, -0.2))


def free_map(seed: int, shape: tuple[int, int], share: float) -> Arrays:
    free = np.random.default_rng(seed).random((1, 1, *shape)) >= share
    return {"free": free.astype(np.float32)}


def by_all(kernel: CSpace, inputs: Arrays) -> dict[str, np.ndarray]:
    """The reference's results, after the others were held to them bit for bit."""
    expected = kernel.reference(inputs)
    for run in (CpuDevice(implementation="onnxruntime").compile(kernel).run, kernel.native().run):
        out = {tensor.name: np.full(tensor.shape, -1.0, np.float32) for tensor in kernel.outputs}
        run(inputs, out)
        for name, value in expected.items():
            np.testing.assert_array_equal(out[name], value)
    return expected


@settings(max_examples=50, deadline=None)
@given(
    st.tuples(st.integers(2, 40), st.integers(2, 140)),
    st.integers(0, 10**6),
    st.sampled_from([0.0, 0.002, 0.05, 0.4, 1.0]),
    st.integers(1, 5),
    st.integers(0, 12),
    st.tuples(st.floats(0.01, 0.7), st.floats(0.01, 0.25)),
    st.sampled_from([0.0, 0.03]),
)
def test_all_implementations_give_the_same_bits(
    needs_compiler: None,
    shape: tuple[int, int],
    seed: int,
    share: float,
    headings: int,
    inflation: int,
    half: tuple[float, float],
    margin: float,
) -> None:
    x, y = half
    outline = ((x, y), (-x, y), (-x, -y), (x, -y))
    by_all(CSpace(*shape, headings, outline, margin, inflation=inflation), free_map(seed, shape, share))


def test_the_usual_sizes_too(needs_compiler: None) -> None:
    for kernel in (CSpace(), CSpace(96, 256, 32, inflation=MOST_INFLATION)):
        by_all(kernel, free_map(1, (kernel.rows, kernel.cols), 0.01))


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5)), min_size=3, max_size=3),
    st.floats(0.0, 0.1),
    st.integers(1, 8),
)
def test_a_cell_is_touched_exactly_when_the_outline_comes_near(
    corners: list[tuple[float, float]], margin: float, headings: int
) -> None:
    (ax, ay), (bx, by), (cx, cy) = corners
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    assume(abs(area) > 0.01)
    outline = tuple(corners if area > 0 else corners[::-1])
    touched = outline_cells(outline, headings, 0.05, margin)
    fine = (np.arange(-2, 3) / 4.0001) * 0.05  # points inside a cell
    offsets = np.arange(-(touched.shape[1] // 2), touched.shape[1] // 2 + 1) * 0.05
    for heading in range(headings):
        angle = 2 * math.pi * heading / headings
        turned = [
            (math.cos(angle) * x - math.sin(angle) * y, math.sin(angle) * x + math.cos(angle) * y) for x, y in outline
        ]
        y, x, dy, dx = np.meshgrid(offsets, offsets, fine, fine, indexing="ij")
        gap = ConvexPolygon(tuple(turned)).distance(np.stack([x + dx, y + dy], axis=-1)).min(axis=(2, 3))
        assert not (~touched[heading] & (gap < margin - 1e-6)).any()
        assert margin > 0 or not (touched[heading] & (gap > 0.01)).any()  # as near as the points lie


def test_a_small_robot_is_its_own_cell_and_beyond_the_map_nothing_is_free() -> None:
    dot = ((0.01, 0.01), (-0.01, 0.01), (-0.01, -0.01), (0.01, -0.01))
    inputs = free_map(2, (9, 12), 0.3)
    kernel = CSpace(9, 12, 4, dot)
    assert kernel.outlines.shape == (4, 1, 1)
    np.testing.assert_array_equal(kernel.reference(inputs)["free_at"][0, 2], inputs["free"][0, 0])
    large = CSpace(30, 40, 16, RECTANGLE).reference(free_map(0, (30, 40), 0.0))["free_at"][0]
    across, along = large[0], large[4]  # heading 0 lies along the columns, 4 (a quarter turn) along the rows
    assert (across[:, :6] == 0).all() and across[15, 6] == 1 and across[4, 20] == 1 and (across[:4] == 0).all()
    assert (along[:6] == 0).all() and along[6, 20] == 1 and along[15, 4] == 1 and (along[:, :4] == 0).all()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.001, 0.1))
def test_more_obstacles_never_make_room(seed: int, share: float) -> None:
    kernel = CSpace(30, 30, 4, inflation=5)
    fewer, more = free_map(seed, (30, 30), share), free_map(seed, (30, 30), 2 * share)
    before, after = kernel.reference(fewer), kernel.reference(more)
    assert (more["free"] <= fewer["free"]).all()
    assert (after["free_at"] <= before["free_at"]).all() and (after["near"] >= before["near"]).all()


@pytest.mark.parametrize("seed", range(4))
def test_near_falls_with_the_distance(seed: int) -> None:
    kernel = CSpace(40, 44, 1, inflation=8)
    inputs = free_map(seed, (40, 44), 0.01)
    near = kernel.reference(inputs)["near"][0, 0]
    free = inputs["free"][0, 0] == 1
    # centre to centre: at least 0.92 and at most 1.01 times what the steps of 5 and 7 make of it
    rows, cols = np.argwhere(~free).T
    grid = np.argwhere(np.ones(free.shape)).reshape(*free.shape, 2)
    exact = np.hypot(grid[..., None, 0] - rows, grid[..., None, 1] - cols).min(axis=-1)
    steps = (kernel.top - near.astype(np.float64)) / 5
    known = near > 0
    assert (near[~free] == kernel.top).all()
    assert (exact[known] <= 1.0102 * steps[known] + 1e-9).all() and (steps[known] <= exact[known] / 0.92).all()
    assert (exact[~known] > 0.92 * kernel.inflation).all()
    assert (distance_to_obstacles(~free, 1.0, 20.0, False)[~known] > 0).all()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 0.5, 2.0, -1.0])
def test_values_that_no_map_has_are_refused_by_all(needs_compiler: None, value: float) -> None:
    kernel = CSpace(8, 11, 2, inflation=2)
    inputs = free_map(0, (8, 11), 0.0)
    inputs["free"][0, 0, 3, 5] = value
    device = CpuDevice(implementation="onnxruntime").compile(kernel)
    out = {tensor.name: np.full(tensor.shape, -7.0, np.float32) for tensor in kernel.outputs}
    compiled = [lambda given, run=run: run(given, out) for run in (device.run, kernel.native().run)]
    for run in (kernel.reference, *compiled):
        with pytest.raises(MapError, match=r"`free` holds .* at \(0, 0, 3, 5\); give 1"):
            run(inputs)
    assert all((array == -7.0).all() for array in out.values())


def test_minus_zero_is_zero(needs_compiler: None) -> None:
    inputs = free_map(4, (20, 20), 0.1)
    inputs["free"][inputs["free"] == 0] = -0.0
    by_all(CSpace(20, 20, 3, inflation=3), inputs)


def test_the_graph_is_opset_17_with_one_convolution_and_only_operators_for_a_dla() -> None:
    model = onnx.load_from_string(CSpace(32, 48, 16, inflation=3).onnx())
    kinds = [node.op_type for node in model.graph.node]
    assert [entry.version for entry in model.opset_import if not entry.domain] == [17]
    assert kinds.count("Conv") == 1 and set(kinds) == {"Conv", "Relu", "Mul", "MaxPool", "Max", "Add"}
    assert all(node.name for node in model.graph.node)
    assert CSpace(32, 32, 1, inflation=0).reference(free_map(0, (32, 32), 0.2))["near"].max() == 5


def test_runs_are_the_touched_cells_in_order() -> None:
    cells = outline_cells(RECTANGLE, 16, 0.05, 0.0)
    runs, again = outline_runs(cells), np.zeros_like(cells)
    reach = cells.shape[1] // 2
    for heading, dy, first, length in runs:
        again[heading, dy + reach, first + reach : first + reach + length] = True
    np.testing.assert_array_equal(again, cells)
    assert (np.diff(runs[:, 0]) >= 0).all() and np.abs(runs[:, 1]).max() <= MOST_REACH


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"rows": 1}, "2 x 2 cells"),
        ({"headings": 0}, "1 heading"),
        ({"inflation": MOST_INFLATION + 1}, "inflation"),
        ({"inflation": -1}, "inflation"),
        ({"outline_m": ((0.0, 0.0), (1.0, 0.0))}, "3 finite corners"),
        ({"outline_m": ((0.0, 0.0), (math.nan, 0.0), (0.0, 1.0))}, "3 finite corners"),
        ({"outline_m": ((9.0, 0.0), (0.0, 1.0), (0.0, -1.0))}, "coarser resolution"),
        ({"resolution_m": 0.0}, "resolution"),
        ({"margin_m": -0.1}, "margin"),
    ],
)
def test_sizes_that_cannot_be(bad: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        CSpace(**bad)
