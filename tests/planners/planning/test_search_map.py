from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.errors import MapError
from premotor_planners.planning.search_map import MOST_FACTOR, UNIT_FACTOR, CellPath, SearchMap, Unfound

maps = st.tuples(st.integers(0, 10**6), st.floats(0.0, 0.55), st.integers(1, 24), st.integers(1, 24))
Reference = Callable[..., np.ndarray]
Judge = Callable[[np.ndarray, np.ndarray], bool]


def drawn(which: tuple[int, float, int, int]) -> tuple[np.ndarray, np.random.Generator]:
    seed, share, rows, cols = which
    random = np.random.default_rng(seed)
    return random.random((rows, cols)) >= share, random


def ends(free: np.ndarray, random: np.random.Generator) -> tuple[tuple[int, int], tuple[int, int]]:
    start, goal = random.integers(free.shape, size=(2, 2)).tolist()
    return (start[0], start[1]), (goal[0], goal[1])


@settings(max_examples=150, deadline=None)
@given(maps)
def test_a_way_is_legal_and_as_short_as_dijkstras(
    costs_from: Reference, legal: Judge, which: tuple[int, float, int, int]
) -> None:
    free, random = drawn(which)
    search = SearchMap(free)
    for _ in range(4):
        start, goal = ends(free, random)
        best = costs_from(free, start)[goal]
        found = search.search(start, goal)
        assert search.joined(start, goal) == math.isfinite(best)
        if math.isinf(best):
            assert found is Unfound.NO_WAY
            continue
        assert isinstance(found, CellPath)
        assert found.cost == pytest.approx(best, abs=1e-9)
        assert tuple(found.cells[0]) == start and tuple(found.cells[-1]) == goal and legal(free, found.cells)
        assert found.straight + found.diagonal == len(found.cells) - 1
        assert found.cost == found.straight + found.diagonal * math.sqrt(2)


@settings(max_examples=60, deadline=None)
@given(maps, st.floats(0.0, 20.0))
def test_a_weighed_way_is_as_cheap_as_dijkstras(
    costs_from: Reference, legal: Judge, which: tuple[int, float, int, int], most: float
) -> None:
    free, random = drawn(which)
    factor = (UNIT_FACTOR * (1 + most * random.random(free.shape))).astype(np.int32)
    search = SearchMap(free, factor)
    for _ in range(3):
        start, goal = ends(free, random)
        best = costs_from(free, start, factor)[goal]
        found, back = search.search(start, goal), search.search(goal, start)
        if math.isinf(best):
            assert found is Unfound.NO_WAY
            continue
        assert isinstance(found, CellPath) and isinstance(back, CellPath)
        assert found.cost == pytest.approx(best, rel=1e-9, abs=1e-9)
        assert found.cost == back.cost
        assert legal(free, found.cells)


@settings(max_examples=60, deadline=None)
@given(maps)
def test_cost_is_symmetric_and_the_same_however_the_map_is_turned(which: tuple[int, float, int, int]) -> None:
    free, random = drawn(which)
    start, goal = ends(free, random)
    marked = np.zeros(free.shape, np.int8)
    marked[start] += 1
    marked[goal] += 2
    found: set[float] = set()
    for mirrored in (False, True):
        for turns in range(4):
            turned, marks = (np.rot90(np.fliplr(a) if mirrored else a, turns).copy() for a in (free, marked))
            a, b = (tuple(np.argwhere(marks & bit)[0].tolist()) for bit in (1, 2))
            search = SearchMap(turned)
            for ways in (search.search(a, b), search.search(b, a)):
                found.add(ways.cost if isinstance(ways, CellPath) else math.inf)
    assert len(found) == 1


def test_equal_requests_give_equal_ways_whatever_was_asked_before() -> None:
    free = np.random.default_rng(3).random((60, 80)) >= 0.3
    cells = [tuple(c) for c in np.argwhere(free)[::97].tolist()]
    search, fresh = SearchMap(free), SearchMap(free)
    for start in cells[:12]:
        for goal in cells[:12]:
            search.search(goal, start)
            a, b = search.search(start, goal), fresh.search(start, goal)
            assert type(a) is type(b)
            if isinstance(a, CellPath) and isinstance(b, CellPath):
                assert np.array_equal(a.cells, b.cells)


@settings(max_examples=80, deadline=None)
@given(maps, st.integers(1, 5), st.floats(0.001, 0.3))
def test_a_map_that_is_renewed_equals_one_that_is_prepared(
    which: tuple[int, float, int, int], times: int, share: float
) -> None:
    free, random = drawn(which)
    search = SearchMap(free)
    for _ in range(times):
        changes = random.random(free.shape) < share
        free = free ^ changes
        assert search.renew(free) == changes.sum()
        fresh = SearchMap(free)
        assert np.array_equal(search.jump_tables(), fresh.jump_tables())
        for _ in range(6):
            start, goal = ends(free, random)
            assert search.joined(start, goal) == fresh.joined(start, goal)


def test_small_changes_of_a_larger_map_are_taken_up_one_by_one(costs_from: Reference) -> None:
    random = np.random.default_rng(5)
    free = random.random((90, 110)) >= 0.3
    search = SearchMap(free)
    for _ in range(40):
        free = free.copy()
        rows, cols = random.integers(0, (90, 110), size=(3, 2)).T
        free[rows, cols] ^= True
        search.renew(free)
    assert np.array_equal(search.jump_tables(), SearchMap(free).jump_tables())
    start = tuple(np.argwhere(free)[0].tolist())
    costs = costs_from(free, start)
    for goal in np.argwhere(free)[::101].tolist():
        found = search.search(start, (goal[0], goal[1]))
        assert (found.cost if isinstance(found, CellPath) else math.inf) == pytest.approx(costs[goal[0], goal[1]])


def test_factors_are_renewed_too() -> None:
    free, factor = np.ones((5, 9), np.bool_), np.full((5, 9), UNIT_FACTOR, np.int32)
    search = SearchMap(free, factor)
    assert search.search((2, 0), (2, 8)).cost == 8.0
    factor[1:4, 4] = 10 * UNIT_FACTOR
    assert search.renew(free, factor) == 0
    around = search.search((2, 0), (2, 8))
    assert isinstance(around, CellPath) and 8.0 < around.cost < 17.0 and {0, 4} & set(around.cells[:, 0].tolist())


@pytest.mark.parametrize(
    ("free", "factor"),
    [
        (np.ones((0, 3), np.bool_), None),
        (np.ones(4, np.bool_), None),
        (np.ones((3, 3), np.uint8), None),
        (np.ones((1, 32_001), np.bool_), None),
        (np.ones((3, 3), np.bool_), np.full((3, 2), UNIT_FACTOR, np.int32)),
        (np.ones((3, 3), np.bool_), np.full((3, 3), UNIT_FACTOR - 1, np.int32)),
        (np.ones((3, 3), np.bool_), np.full((3, 3), MOST_FACTOR + 1, np.int32)),
    ],
)
def test_maps_that_cannot_be_are_refused(free: np.ndarray, factor: np.ndarray | None) -> None:
    with pytest.raises(MapError):
        SearchMap(free, factor)


def test_another_shape_or_kind_is_no_renewal_and_cells_outside_are_refused() -> None:
    search = SearchMap(np.ones((3, 4), np.bool_))
    for free, factor in (
        (np.ones((4, 3), np.bool_), None),
        (np.ones((3, 4), np.bool_), np.full((3, 4), UNIT_FACTOR, np.int32)),
    ):
        with pytest.raises(MapError, match="renewed"):
            search.renew(free, factor)
    for cell in ((-1, 0), (3, 0), (0, 4)):
        with pytest.raises(IndexError, match="outside"):
            search.search((0, 0), cell)
    with pytest.raises(ValueError, match="jump tables"):
        SearchMap(np.ones((2, 2), np.bool_), np.full((2, 2), UNIT_FACTOR, np.int32)).jump_tables()
