from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from premotor_planners.costmap.values import FREE_SPACE, INSCRIBED, LETHAL, MOST_INFLATED, NO_INFORMATION
from premotor_planners.errors import MapError
from premotor_planners.maps.distance import distance_to_obstacles
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.maps.supercover import cells_on_line
from premotor_planners.planning.cost_grid import CostGrid
from premotor_planners.planning.outcome import Plan, PlanCancelled, PlanError, PlanFailure
from premotor_planners.planning.planner import GlobalPlanner
from premotor_planners.planning.settings import PlannerSettings
from premotor_planners.planning.stopping import Cancel

RESOLUTION, ORIGIN = 0.05, (-1.0, -2.0)
ROWS, COLS = 60, 80


def grid_of(costs: np.ndarray) -> CostGrid:
    return CostGrid(costs.astype(np.uint8), RESOLUTION, ORIGIN)


def random_costs(seed: int, share: float = 0.2) -> np.ndarray:
    random = np.random.default_rng(seed)
    costs = random.integers(0, MOST_INFLATED + 1, (ROWS, COLS))
    for value in (INSCRIBED, LETHAL, NO_INFORMATION):
        costs[random.random(costs.shape) < share / 3] = value
    return costs


def middle(row: int, col: int, yaw: float = 0.0) -> tuple[float, float, float]:
    return ORIGIN[0] + (col + 0.5) * RESOLUTION, ORIGIN[1] + (row + 0.5) * RESOLUTION, yaw


def code(found: object) -> PlanError:
    assert isinstance(found, PlanFailure) and found.reason
    return found.code


def touched(plan: Plan, grid: CostGrid) -> set[int]:
    frame = OccupancyGrid(np.zeros(grid.costs.shape, np.int8), grid.resolution_m, grid.origin_m)
    return {int(grid.costs[cell]) for a, b in pairwise(plan.poses) for cell in cells_on_line(frame, a[:2], b[:2])}


@pytest.fixture
def walled() -> np.ndarray:
    """A wall with a gap at the top, and a closed block on the right."""
    costs = np.zeros((ROWS, COLS))
    costs[:50, 30] = LETHAL
    costs[10:31, 50:71] = LETHAL
    return costs


points = st.tuples(st.floats(0.0, COLS * RESOLUTION - 1e-6), st.floats(0.0, ROWS * RESOLUTION - 1e-6))


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 300), points, points, st.booleans(), st.booleans())
@example(0, (0.0, 0.0), (1e-9, 0.0), False, False)  # an end nearer than points that count as one
@example(0, (0.0, 0.0), (0.0, 0.0), False, False)
def test_a_plan_touches_no_cell_that_is_not_free_and_never_jumps(
    seed: int, start: tuple[float, float], goal: tuple[float, float], weighed: bool, unknown: bool
) -> None:
    grid = grid_of(random_costs(seed))
    mode = "cost_aware" if weighed else "shortest"
    planner = GlobalPlanner(grid, PlannerSettings(mode=mode, allow_unknown=unknown, tolerance_m=0.1))
    ends = [(p[0] + ORIGIN[0], p[1] + ORIGIN[1], 0.3) for p in (start, goal)]
    found = planner.plan(*ends)
    if not isinstance(found, Plan):
        assert code(found) in (PlanError.START_OCCUPIED, PlanError.GOAL_OCCUPIED, PlanError.NO_VALID_PATH)
        return
    on_border = any(v / RESOLUTION % 1.0 < 1e-9 for p in (start, goal) for v in p)
    if not on_border:
        assert touched(found, grid) <= set(range(MOST_INFLATED + 1)) | ({NO_INFORMATION} if unknown else set())
    assert np.abs(np.diff(found.cells, axis=0)).max(initial=0) <= 1
    assert found.poses[0][:2] == ends[0][:2] and found.poses[-1][2] == 0.3
    assert math.dist(found.poses[-1][:2], ends[1][:2]) <= (0.0 if found.exact else 0.1 + 1e-9)
    assert found.length_m == pytest.approx(sum(math.dist(a[:2], b[:2]) for a, b in pairwise(found.poses)))
    again = planner.plan(*ends)
    assert isinstance(again, Plan) and again.poses == found.poses and again.cost_m == found.cost_m


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 300), st.booleans())
def test_cost_is_the_same_both_ways(seed: int, weighed: bool) -> None:
    costs = random_costs(seed, 0.4)
    planner = GlobalPlanner(grid_of(costs), PlannerSettings(mode="cost_aware" if weighed else "shortest"))
    free = np.argwhere(costs < INSCRIBED)
    a, b = (middle(r, c) for r, c in np.random.default_rng(seed).choice(free, 2).tolist())
    there, back = planner.plan(a, b, tolerance_m=0.0), planner.plan(b, a, tolerance_m=0.0)
    assert isinstance(there, Plan) == isinstance(back, Plan)
    if isinstance(there, Plan) and isinstance(back, Plan):
        assert there.cost_m == back.cost_m


def test_straightening_shortens_and_can_be_left_out(walled: np.ndarray) -> None:
    straight = GlobalPlanner(grid_of(walled)).plan(middle(5, 5), middle(5, 40))
    stepped = GlobalPlanner(grid_of(walled), PlannerSettings(straighten=False)).plan(middle(5, 5), middle(5, 40))
    assert isinstance(straight, Plan) and isinstance(stepped, Plan)
    assert straight.length_m < stepped.length_m == pytest.approx(stepped.cost_m)
    assert len(straight.poses) < 6 < len(stepped.poses) == len(stepped.cells)
    assert straight.cost_m == stepped.cost_m


def test_a_weighed_plan_keeps_away_from_what_costs(walled: np.ndarray) -> None:
    near = distance_to_obstacles(walled == LETHAL, RESOLUTION, 0.6, outside_occupied=False)
    costs = np.where(walled == LETHAL, LETHAL, np.rint(MOST_INFLATED * np.maximum(0.0, 1 - near / 0.6)))
    shortest = GlobalPlanner(grid_of(costs)).plan(middle(5, 5), middle(5, 40))
    settings_ = PlannerSettings(mode="cost_aware", cost_weight=10.0)
    weighed = GlobalPlanner(grid_of(costs), settings_).plan(middle(5, 5), middle(5, 40))
    assert isinstance(shortest, Plan) and isinstance(weighed, Plan)
    dearest = [max(touched(plan, grid_of(costs))) for plan in (shortest, weighed)]
    assert dearest[1] < dearest[0] and weighed.length_m > shortest.length_m


def test_what_changes_is_taken_up(walled: np.ndarray) -> None:
    planner = GlobalPlanner(grid_of(walled))
    before = planner.plan(middle(5, 5), middle(5, 40))
    walled[20, 30] = FREE_SPACE
    assert planner.renew(grid_of(walled)) == 1
    after = planner.plan(middle(5, 5), middle(5, 40))
    assert isinstance(before, Plan) and isinstance(after, Plan) and after.cost_m < before.cost_m
    assert after.cost_m == GlobalPlanner(grid_of(walled)).plan(middle(5, 5), middle(5, 40)).cost_m  # type: ignore[union-attr]
    moved = CostGrid(walled.astype(np.uint8), RESOLUTION, (5.0, 5.0))
    assert planner.renew(moved) == ROWS * COLS
    assert code(planner.plan(middle(5, 5), middle(5, 40))) is PlanError.START_OUTSIDE_MAP
    with pytest.raises(MapError):
        planner.renew(CostGrid(walled.astype(np.uint8), 0.0, ORIGIN))
    assert isinstance(planner.plan((5.1, 5.1, 0.0), (5.2, 5.2, 0.0)), Plan)


def test_tolerance_the_nearest_cell_that_can_be_reached_stands_for_the_goal(walled: np.ndarray) -> None:
    planner = GlobalPlanner(grid_of(walled))
    inside = middle(12, 60)
    assert code(planner.plan(middle(5, 5), inside, tolerance_m=0.1)) is PlanError.GOAL_OCCUPIED
    found = planner.plan(middle(5, 5), inside, tolerance_m=0.2)
    assert isinstance(found, Plan) and not found.exact and found.goal_cell == (9, 60)
    assert found.poses[-1] == pytest.approx(middle(9, 60))
    walled[15:20, 55:60] = FREE_SPACE
    planner.renew(grid_of(walled))
    closed_in = middle(17, 57)
    assert code(planner.plan(middle(5, 5), closed_in, tolerance_m=0.1)) is PlanError.NO_VALID_PATH
    out = planner.plan(middle(5, 5), closed_in, tolerance_m=0.45)
    assert isinstance(out, Plan) and out.goal_cell == (9, 57)
    within = planner.plan(middle(16, 56), closed_in)
    assert isinstance(within, Plan) and within.exact


def test_budget_and_cancel(walled: np.ndarray) -> None:
    planner, cancel = GlobalPlanner(grid_of(walled)), Cancel()
    assert code(planner.plan(middle(5, 5), middle(5, 40), budget_s=0.0)) is PlanError.TIMEOUT
    cancel.set()
    assert isinstance(planner.plan(middle(5, 5), middle(5, 40), cancel=cancel), PlanCancelled)
    assert isinstance(planner.plan(middle(5, 5), middle(12, 60), cancel=cancel), PlanCancelled)
    for wrong in ({"budget_s": -1.0}, {"tolerance_m": -0.1}, {"tolerance_m": math.nan}):
        with pytest.raises(ValueError, match="it must be 0 or more"):
            planner.plan(middle(5, 5), middle(5, 40), **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("costs", "resolution", "origin", "said"),
    [
        (np.zeros((3, 3), np.uint8), 0.0, (0.0, 0.0), "above 0"),
        (np.zeros((3, 3), np.uint8), -0.05, (0.0, 0.0), "above 0"),
        (np.zeros((3, 3), np.uint8), math.nan, (0.0, 0.0), "above 0"),
        (np.zeros((3, 3), np.uint8), 0.05, (math.inf, 0.0), "finite"),
        (np.zeros((0, 3), np.uint8), 0.05, (0.0, 0.0), "uint8"),
        (np.zeros((3, 3), np.int64), 0.05, (0.0, 0.0), "uint8"),
    ],
)
def test_grids_that_are_none(costs: np.ndarray, resolution: float, origin: tuple[float, float], said: str) -> None:
    with pytest.raises(MapError, match=said):
        GlobalPlanner(CostGrid(costs, resolution, origin))


@pytest.mark.parametrize(
    "wrong",
    [{"mode": "best"}, {"cost_weight": -1.0}, {"cost_weight": 101.0}, {"tolerance_m": math.nan}, {"escape_m": 2.0},
     {"max_planning_time_s": -1.0}],
)  # fmt: skip
def test_settings_that_cannot_be(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        PlannerSettings(**wrong)  # type: ignore[arg-type]


def test_an_occupancy_grid_as_costs() -> None:
    grid = CostGrid.of_occupancy(OccupancyGrid(np.array([[0, 1, 50, 99, 100, -1]], np.int8), 0.1, (0.0, 0.0)))
    assert grid.costs.tolist() == [[FREE_SPACE, 3, 126, 249, LETHAL, NO_INFORMATION]]


def test_threads_take_turns(walled: np.ndarray) -> None:
    planner = GlobalPlanner(grid_of(walled))
    expected = planner.plan(middle(5, 5), middle(5, 40))
    assert isinstance(expected, Plan)
    with ThreadPoolExecutor(4) as pool:
        renewed = [pool.submit(planner.renew, grid_of(walled)) for _ in range(20)]
        plans = [pool.submit(planner.plan, middle(5, 5), middle(5, 40)) for _ in range(40)]
    assert all(each.result() == 0 for each in renewed)
    assert all(plan.result().poses == expected.poses for plan in plans)  # type: ignore[union-attr]
