from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.tensor import ReferenceRun
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.maps.supercover import cells_on_line
from premotor_planners.motion.goal_field import GoalField
from premotor_planners.motion.path import length_m
from premotor_planners.motion.route import Route, RouteError, RouteFailure, RoutePlanner
from premotor_planners.motion.state import Goal

ROWS, COLS, RESOLUTION = 40, 48, 0.05


def planner(occupied: np.ndarray, radius: float = 0.08) -> RoutePlanner:
    kernel = CostToGo(ROWS, COLS, 16)
    grid = OccupancyGrid(np.where(occupied, 100, 0).astype(np.int8), RESOLUTION, (0.0, 0.0))
    return RoutePlanner(kernel, ReferenceRun(kernel), grid, radius)


def random_map(seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    occupied = np.zeros((ROWS, COLS), np.bool_)
    for _ in range(7):
        row, col = int(random.integers(ROWS)), int(random.integers(COLS))
        occupied[row : row + int(random.integers(1, 12)), col : col + int(random.integers(1, 12))] = True
    return occupied


points = st.tuples(st.floats(0.0, 2.39), st.floats(0.0, 1.99))


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 400), points, points)
def test_a_path_never_touches_a_grown_obstacle(seed: int, start: tuple[float, float], end: tuple[float, float]) -> None:
    plans = planner(random_map(seed))
    found = plans.plan((*start, 0.0), Goal(*end))
    grown = plans.grown
    if isinstance(found, RouteFailure):
        assert found.reason
        if found.code is RouteError.NO_VALID_PATH and grown.is_free(grown.cell_of(*start)):
            costs = GoalField(plans._kernel, plans._run, grown, grown.cell_of(*start)).complete().costs_m()
            assert np.isinf(costs[grown.cell_of(*end)])
        return
    path = list(found.path)
    assert path[0] == start and math.dist(path[-1], end) <= Goal(*end).tolerance_m + 1e-9
    pieces = list(pairwise(path))
    if not grown.is_free(grown.cell_of(*start)):
        assert math.dist(*pieces[0]) <= 0.25 + 1e-9  # the documented step out of a grown obstacle
        pieces = pieces[1:]
    for a, b in pieces:
        for cell in cells_on_line(grown, a, b):
            assert grown.is_free(cell)


@pytest.mark.parametrize("seed", range(10))
def test_there_and_back_cost_the_same_and_smoothing_only_shortens(seed: int) -> None:
    plans = planner(random_map(seed))
    free = np.argwhere(~plans.grown.occupied)
    a, b = (plans.grown.centre_of((int(r), int(c))) for r, c in (free[3], free[-3]))
    there, back = plans.plan((*a, 0.0), Goal(*b)), plans.plan((*b, 0.0), Goal(*a))
    assert isinstance(there, Route) == isinstance(back, Route)
    if isinstance(there, Route) and isinstance(back, Route):
        cost = float(there.costs_m[plans.grown.cell_of(*a)])
        assert cost == pytest.approx(float(back.costs_m[plans.grown.cell_of(*b)]), abs=1e-3)
        assert math.dist(a, b) - 1e-6 <= there.length_m <= 1.0102 * cost + 1e-3  # the kernel's diagonals are 1.4 long


def test_the_same_cell_is_a_route_of_one_or_two_poses() -> None:
    found = planner(np.zeros((ROWS, COLS), np.bool_)).plan((1.0, 1.0, 0.0), Goal(1.01, 1.01, 1.5))
    assert isinstance(found, Route) and 1 <= len(found.path) <= 2 and found.path[-1] == (1.01, 1.01)


def test_open_floor_is_one_straight_piece() -> None:
    found = planner(np.zeros((ROWS, COLS), np.bool_)).plan((0.3, 0.3, 0.0), Goal(2.0, 1.2))
    assert isinstance(found, Route) and found.path == ((0.3, 0.3), (2.0, 1.2))


def split_map() -> np.ndarray:
    occupied = np.zeros((ROWS, COLS), np.bool_)
    occupied[:, 20:30] = True
    return occupied


@pytest.mark.parametrize(
    ("start", "goal", "code"),
    [
        ((-1.0, 0.5), (0.5, 0.5), RouteError.START_OUTSIDE_MAP),
        ((math.nan, 0.5), (0.5, 0.5), RouteError.START_OUTSIDE_MAP),
        ((0.5, 0.5), (0.5, 99.0), RouteError.GOAL_OUTSIDE_MAP),
        ((0.5, 0.5), (0.5, math.inf), RouteError.GOAL_OUTSIDE_MAP),
        ((1.25, 1.0), (0.5, 0.5), RouteError.START_OCCUPIED),
        ((0.5, 0.5), (1.25, 1.0), RouteError.GOAL_OCCUPIED),
        ((0.5, 0.5), (2.0, 1.0), RouteError.NO_VALID_PATH),
    ],
)
def test_why_there_is_no_route(start: tuple[float, float], goal: tuple[float, float], code: RouteError) -> None:
    occupied = split_map()
    plans = planner(occupied)
    found = plans.plan((*start, 0.0), Goal(*goal))
    if code in (RouteError.START_OCCUPIED,):
        wide = np.zeros((ROWS, COLS), np.bool_)
        wide[:, 15:35] = True
        found = planner(wide).plan((*start, 0.0), Goal(*goal))
    assert isinstance(found, RouteFailure) and found.code is code and found.reason


def test_a_start_that_drifted_into_a_grown_obstacle_steps_out() -> None:
    found = planner(split_map()).plan((0.95, 1.0, 0.0), Goal(0.5, 0.5))
    assert isinstance(found, Route) and found.path[0] == (0.95, 1.0)
    assert found.path[1][0] < 0.95


def test_a_field_can_be_advanced_in_pieces() -> None:
    plans = planner(split_map())
    goal = Goal(0.3, 0.3)
    field = plans.begin((0.5, 1.8, 0.0), goal)
    assert isinstance(field, GoalField)
    steps = 0
    while not field.advance():
        steps += 1
    assert 1 <= steps == field.runs - 1 < 10
    before = field.runs
    assert field.advance() and field.runs == before
    found = plans.finish((0.5, 1.8, 0.0), goal, field)
    whole = plans.plan((0.5, 1.8, 0.0), goal)
    assert isinstance(found, Route) and isinstance(whole, Route) and found.path == whole.path
    assert length_m(list(found.path)) == found.length_m
