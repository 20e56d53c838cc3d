from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.maps.supercover import cells_on_line
from premotor_planners.planning.search_map import UNIT_FACTOR, CellPath, SearchMap, Unfound
from premotor_planners.planning.stopping import Allowance, Cancel

ROWS, COLS = 14, 18
quarters = st.tuples(st.integers(1, 4 * COLS - 1), st.integers(1, 4 * ROWS - 1)).map(lambda p: (p[0] / 4, p[1] / 4))


def random_free(seed: int, share: float = 0.15) -> np.ndarray:
    return np.random.default_rng(seed).random((ROWS, COLS)) >= share


def supercover_is_free(free: np.ndarray, a: tuple[float, float], b: tuple[float, float]) -> bool:
    grid = OccupancyGrid(np.where(free, 0, 100).astype(np.int8), 1.0, (0.0, 0.0))
    return all(grid.is_free(cell) for cell in cells_on_line(grid, a, b))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 500), quarters, quarters)
def test_a_free_line_touches_only_free_cells_corners_and_borders_included(
    seed: int, a: tuple[float, float], b: tuple[float, float]
) -> None:
    free = random_free(seed)
    search = SearchMap(free)
    assert search.line_is_free(a, b) == search.line_is_free(b, a)
    if search.line_is_free(a, b):
        assert supercover_is_free(free, a, b)


def test_lines_that_touch_no_border_agree_with_the_supercover() -> None:
    random = np.random.default_rng(7)
    free = random_free(7, 0.1)
    search = SearchMap(free)
    points = random.random((600, 2, 2)) * (COLS, ROWS)
    verdicts = [
        (search.line_is_free(tuple(a), tuple(b)), supercover_is_free(free, tuple(a), tuple(b))) for a, b in points
    ]
    assert all(ours == theirs for ours, theirs in verdicts) and len(set(verdicts)) == 2


def test_a_line_past_a_corner_and_one_that_leaves_the_map_are_not_free() -> None:
    free = np.ones((4, 4), np.bool_)
    free[0, 1] = False
    search = SearchMap(free)
    assert not search.line_is_free((0.5, 0.5), (1.5, 1.5))
    assert not search.line_is_free((0.5, 1.0), (2.5, 1.0)), "along the border of an obstacle"
    assert search.line_is_free((0.5, 1.5), (3.5, 1.5))
    assert not search.line_is_free((3.5, 3.5), (4.0, 3.5)), "the border of the map is touched"


def test_a_line_costs_its_length_times_what_its_cells_cost() -> None:
    random = np.random.default_rng(2)
    factor = (UNIT_FACTOR * (1 + 5 * random.random((ROWS, COLS)))).astype(np.int32)
    search, plain = SearchMap(np.ones((ROWS, COLS), np.bool_), factor), SearchMap(np.ones((ROWS, COLS), np.bool_))
    for a, b in random.random((60, 2, 2)) * (COLS - 0.01, ROWS - 0.01):
        length = math.dist(a, b)
        assert plain.line_cost(tuple(a), tuple(b)) == pytest.approx(length)
        x, y = (a[:, None] + (b - a)[:, None] * ((np.arange(4000) + 0.5) / 4000)).astype(int)
        assert search.line_cost(tuple(a), tuple(b)) == pytest.approx(
            length * factor[y, x].mean() / UNIT_FACTOR, rel=5e-3
        )
    across = search.line_cost((0.5, 3.5), (4.5, 3.5))
    assert across == pytest.approx(np.dot(factor[3, :5], [0.5, 1, 1, 1, 0.5]) / UNIT_FACTOR)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_shortened_ways_are_free_no_dearer_and_keep_their_ends(seed: int, weighed: bool) -> None:
    random = np.random.default_rng(seed)
    free = random_free(seed)
    factor = (UNIT_FACTOR * (1 + 3 * random.random(free.shape))).astype(np.int32) if weighed else None
    search = SearchMap(free, factor)
    start, goal = (tuple(c) for c in random.choice(np.argwhere(free), 2).tolist())
    found = search.search(start, goal)
    if not isinstance(found, CellPath):
        return
    points = found.cells[:, ::-1] + 0.5
    kept = search.shortened(points, Allowance())
    assert not isinstance(kept, Unfound) and kept[0] == 0 and kept[-1] == len(points) - 1
    assert (np.diff(kept) > 0).all()
    corners = [tuple(p) for p in points[kept].tolist()]
    assert all(search.line_is_free(a, b) for a, b in pairwise(corners))
    cost = sum(search.line_cost(a, b) for a, b in pairwise(corners))
    assert cost <= sum(search.line_cost(tuple(a), tuple(b)) for a, b in pairwise(points.tolist())) + 1e-9


def test_shortening_stops_when_it_is_told_to() -> None:
    search = SearchMap(np.ones((ROWS, COLS), np.bool_))
    points = np.array([(c + 0.5, 0.5) for c in range(COLS)])
    assert list(search.shortened(points, Allowance())) == [0, COLS - 1]
    assert search.shortened(points, Allowance(0.0)) is Unfound.TIMEOUT
    cancel = Cancel()
    cancel.set()
    assert search.shortened(points, Allowance(cancel=cancel)) is Unfound.CANCELLED
    assert list(search.shortened(points[:1], Allowance())) == [0]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), quarters, st.floats(0.0, 9.0), st.booleans())
def test_the_nearest_cell_is_the_nearest(seed: int, point: tuple[float, float], within: float, joined: bool) -> None:
    free = random_free(seed, 0.6)
    search = SearchMap(free)
    start = tuple(np.argwhere(free)[0].tolist()) if joined and free.any() else None
    found = search.nearest(point, within, start)
    open_ = [tuple(c) for c in np.argwhere(free).tolist() if start is None or search.joined(start, tuple(c))]
    near = [(math.dist((c + 0.5, r + 0.5), point), (r, c)) for r, c in open_]
    near = [entry for entry in near if entry[0] <= within]
    assert found == (min(near)[1] if near else Unfound.NO_WAY)


@pytest.mark.parametrize("far", [-0.1, 1e300, -1e300, math.nan, math.inf, -math.inf])
def test_points_outside_or_nowhere(far: float) -> None:
    search = SearchMap(np.ones((ROWS, COLS), np.bool_))
    for point in ((far, 3.0), (3.0, far)):
        assert not search.line_is_free(point, (3.0, 3.0)) and not search.line_is_free((3.0, 3.0), point)
        assert search.line_cost(point, (3.0, 3.0)) == math.inf
        assert (search.nearest(point, 1.0) is Unfound.NO_WAY) == (far != -0.1)
