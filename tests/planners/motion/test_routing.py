from __future__ import annotations

import math
import threading
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.tensor import ReferenceRun
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.maps.supercover import cells_on_line
from premotor_planners.motion.footprint import ConvexPolygon, Disc, Footprint
from premotor_planners.motion.legs import costs_along
from premotor_planners.motion.path import descend
from premotor_planners.motion.route import Route
from premotor_planners.motion.routing import ESCAPE_M, GoalFields, Router
from premotor_planners.motion.state import Goal
from premotor_planners.planning.outcome import PlanCancelled, PlanError, PlanFailure

ROWS, COLS, RESOLUTION = 40, 48, 0.05
FREE = np.zeros((ROWS, COLS), np.bool_)
BOX = ConvexPolygon(((0.20, -0.10), (0.20, 0.10), (-0.20, 0.10), (-0.20, -0.10)))


def router(occupied: np.ndarray, radius: float = 0.08, footprint: Footprint | None = None) -> Router:
    kernel = CostToGo(*occupied.shape, 16)
    grid = OccupancyGrid(np.where(occupied, 100, 0).astype(np.int8), RESOLUTION, (0.0, 0.0))
    return Router(GoalFields(kernel, ReferenceRun(kernel)), grid, footprint or Disc(radius), radius)


def random_map(seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    occupied = FREE.copy()
    for _ in range(7):
        row, col = int(random.integers(ROWS)), int(random.integers(COLS))
        occupied[row : row + int(random.integers(1, 12)), col : col + int(random.integers(1, 12))] = True
    return occupied


points = st.tuples(st.floats(0.0, 2.39), st.floats(0.0, 1.99))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 400), points, points)
def test_a_route_touches_no_grown_obstacle_and_its_costs_lead_to_the_goal(
    seed: int, start: tuple[float, float], end: tuple[float, float]
) -> None:
    routes = router(random_map(seed))
    found, grown = routes.plan((*start, 0.0), Goal(*end)), routes.grown
    if isinstance(found, PlanFailure | PlanCancelled):
        assert isinstance(found, PlanFailure) and found.reason
        return
    assert found.path[0] == start and math.dist(found.path[-1], end) <= Goal(*end).tolerance_m + 1e-9
    pieces = list(pairwise(found.path))
    if not grown.is_free(grown.cell_of(*start)):
        assert math.dist(*pieces[0]) <= ESCAPE_M + 1e-9  # the documented step out of a grown obstacle
        start, pieces = pieces[0][1], pieces[1:]
    assert all(grown.is_free(cell) for a, b in pieces for cell in cells_on_line(grown, a, b))
    cells = descend(found.costs_m, grown.cell_of(*start))
    assert cells[-1] == grown.cell_of(*found.path[-1]) and found.costs_m[cells[-1]] == 0.0
    assert found.left_m(start) >= (sum(math.dist(*piece) for piece in pieces) - 2 * RESOLUTION) / 1.0102


def split_map() -> np.ndarray:
    occupied = FREE.copy()
    occupied[:, 20:30] = True
    return occupied


@pytest.mark.parametrize(
    ("start", "goal", "code"),
    [
        ((-1.0, 0.5), (0.5, 0.5), PlanError.START_OUTSIDE_MAP),
        ((math.nan, 0.5), (0.5, 0.5), PlanError.START_OUTSIDE_MAP),
        ((0.5, 0.5), (0.5, 99.0), PlanError.GOAL_OUTSIDE_MAP),
        ((0.5, 0.5), (0.5, math.inf), PlanError.GOAL_OUTSIDE_MAP),
        ((1.25, 1.0), (0.5, 0.5), PlanError.START_OCCUPIED),
        ((0.5, 0.5), (1.25, 1.0), PlanError.GOAL_OCCUPIED),
        ((0.5, 0.5), (2.0, 1.0), PlanError.NO_VALID_PATH),
    ],
)
def test_why_there_is_no_route(start: tuple[float, float], goal: tuple[float, float], code: PlanError) -> None:
    found = router(split_map()).plan((*start, 0.0), Goal(*goal))
    assert isinstance(found, PlanFailure) and found.code is code and found.reason


def test_a_start_that_drifted_into_a_grown_obstacle_steps_out_and_never_through_a_wall() -> None:
    found = router(split_map()).plan((0.95, 1.0, 0.0), Goal(0.5, 0.5))
    assert isinstance(found, Route) and found.path[0] == (0.95, 1.0) and found.path[1][0] < 0.95
    deep = router(split_map(), radius=0.2).plan((0.93, 1.0, 0.0), Goal(0.5, 0.5))
    assert isinstance(deep, Route) and deep.path[1][0] < 0.85, "out past cells that are grown, not occupied"


def test_a_route_is_made_in_pieces() -> None:
    routing, pieces = router(split_map()).begin((0.5, 1.8, 0.0), Goal(0.3, 0.3)), 0
    while (found := routing.advance()) is None:
        pieces += 1
    assert isinstance(found, Route) and 2 <= pieces <= 12
    whole = router(split_map()).plan((0.5, 1.8, 0.0), Goal(0.3, 0.3))
    assert isinstance(whole, Route) and found.path == whole.path
    np.testing.assert_array_equal(found.costs_m, whole.costs_m)


def test_a_route_on_a_large_map_is_made_beside_and_is_the_same() -> None:
    occupied = np.zeros((264, 256), np.bool_)
    occupied[100:110, :200] = True
    prepared: list[str] = []
    kernel = CostToGo(*occupied.shape, 48)
    grid = OccupancyGrid(np.where(occupied, 100, 0).astype(np.int8), RESOLUTION, (0.0, 0.0))
    routes = Router(
        GoalFields(kernel, ReferenceRun(kernel)), grid, Disc(0.08), 0.08,
        begin_worker=lambda: prepared.append(threading.current_thread().name),
    )  # fmt: skip
    routing = routes.begin((0.5, 0.5, 0.0), Goal(0.5, 8.0))
    while (found := routing.advance()) is None:
        pass
    assert routing.advance() is found and len(prepared) == 1 and prepared[0] != threading.current_thread().name
    whole = routes.plan((0.5, 0.5, 0.0), Goal(0.5, 8.0))
    assert isinstance(found, Route) and isinstance(whole, Route) and found.path == whole.path
    np.testing.assert_array_equal(found.guide, whole.guide)
    given_up = routes.begin((0.5, 0.5, 0.0), Goal(0.5, 8.0))
    assert given_up.advance() is None, "a look, not a wait"
    given_up.give_up()
    while (found := given_up.advance()) is None:
        pass
    assert isinstance(found, PlanCancelled)


def test_pieces_that_nobody_wants_end_at_the_next_one() -> None:
    routing = router(split_map()).begin((0.5, 1.8, 0.0), Goal(0.3, 0.3))
    assert routing.advance() is None
    assert routing.advance() is None
    routing.give_up()
    assert isinstance(routing.advance(), PlanCancelled) and isinstance(routing.advance(), PlanCancelled)


def narrow() -> np.ndarray:
    """A corridor of 0.30 m: too narrow for the circle around the box, wide enough for the box along it."""
    occupied = np.zeros((60, 80), np.bool_)
    occupied[:, 30:50] = True
    occupied[27:33, 30:50] = False
    return occupied


def test_the_outline_is_planned_for_where_its_circle_does_not_get_through() -> None:
    routes = router(narrow(), BOX.reach_m + 0.02, BOX)
    found = routes.plan((0.8, 1.5, 0.0), Goal(3.2, 1.5, 0.0))
    assert isinstance(found, Route) and found.legs and found.legs[-1].end == pytest.approx((3.2, 1.5, 0.0), abs=1e-6)
    assert found.path[0] == (0.8, 1.5) and found.length_m == pytest.approx(2.4, abs=0.1)
    assert found.left_m((0.8, 1.5)) == pytest.approx(found.length_m, abs=0.1)
    open_floor = routes.plan((0.5, 1.5, 0.0), Goal(0.8, 2.3, 0.0))
    assert isinstance(open_floor, Route) and not open_floor.legs, "there the circle will do"
    disc = router(narrow(), BOX.reach_m + 0.02).plan((0.8, 1.5, 0.0), Goal(3.2, 1.5, 0.0))
    assert isinstance(disc, PlanFailure) and disc.code is PlanError.NO_VALID_PATH


def test_a_dead_end_is_left_backwards_as_a_leg_of_its_own() -> None:
    occupied = narrow()
    occupied[27:33, 48:50] = True
    found = router(occupied, BOX.reach_m + 0.02, BOX).plan((2.1, 1.5, 0.0), Goal(0.8, 2.4, math.pi))
    assert isinstance(found, Route) and found.legs[0].sense == -1 and len(found.legs) >= 2
    for leg in found.legs:
        assert np.isfinite(leg.costs_m).all()
        row, col = (int(i) for i in np.unravel_index(int(np.argmin(leg.costs_m)), leg.costs_m.shape))
        assert math.dist(((col + 0.5) * RESOLUTION, (row + 0.5) * RESOLUTION), leg.end[:2]) < 0.05


def test_an_outline_plan_that_nobody_wants_is_given_up() -> None:
    routes = router(narrow(), BOX.reach_m + 0.02, BOX)
    routing = routes.begin((0.8, 1.5, 0.0), Goal(3.2, 1.5, 0.0))
    routing.give_up()
    while (found := routing.advance()) is None:
        pass
    assert isinstance(found, PlanCancelled)
    assert isinstance(routes.plan((0.8, 1.5, 0.0), Goal(3.2, 1.5, 0.0)), Route), "the next one is planned"


def test_costs_along_a_way_fall_to_its_end_and_rise_beside_it() -> None:
    grid = OccupancyGrid(np.zeros((40, 60), np.int8), 0.05, (0.0, 0.0))
    poses = np.stack([np.linspace(0.5, 2.5, 101), np.full(101, 1.0), np.zeros(101)], axis=1)
    costs = costs_along(grid, poses)
    along = costs[20, 10:50]
    assert (np.diff(along) < 0).all() and along[0] == pytest.approx(2.0, abs=0.12) and along[-1] < 0.13
    assert (np.diff(costs[20:, 30]) > 0).all() and costs[30, 30] > costs[20, 10]
