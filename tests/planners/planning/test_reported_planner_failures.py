"""One test for every failure that was reported of global planners like this one."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from premotor_planners.costmap.values import INSCRIBED, LETHAL, MOST_INFLATED, NO_INFORMATION
from premotor_planners.maps.distance import distance_to_obstacles
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.maps.supercover import cells_on_line
from premotor_planners.planning.cost_grid import CostGrid
from premotor_planners.planning.framed_pose import FramedPose, in_map
from premotor_planners.planning.outcome import Plan, PlanError, PlanFailure
from premotor_planners.planning.planner import GlobalPlanner
from premotor_planners.planning.settings import PlannerSettings


def planner(costs: np.ndarray, **settings: object) -> GlobalPlanner:
    return GlobalPlanner(CostGrid(costs.astype(np.uint8), 0.1, (0.0, 0.0)), PlannerSettings(**settings))  # type: ignore[arg-type]


def code(found: object) -> PlanError:
    assert isinstance(found, PlanFailure) and found.reason
    return found.code


@pytest.mark.parametrize("mode", ["shortest", "cost_aware"])
@pytest.mark.parametrize(
    ("start", "goal", "poses"),
    [
        ((0.51, 0.51, 0.0), (0.58, 0.55, 1.2), 2),
        ((0.51, 0.51, 0.0), (0.51, 0.51, 1.2), 1),
        ((0.55, 0.55, 0.0), (0.51, 0.59, -2.0), 2),
    ],
)
def test_p1_start_and_goal_in_one_cell(
    mode: str, start: tuple[float, float, float], goal: tuple[float, float, float], poses: int
) -> None:
    found = planner(np.zeros((10, 10)), mode=mode).plan(start, goal)
    assert isinstance(found, Plan) and len(found.poses) == poses
    assert found.poses[-1] == goal and found.poses[0][:2] == start[:2] and found.cost_m == 0.0


@pytest.mark.parametrize("where", [-0.001, 1.0, 1e9, -1e9, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("axis", [0, 1])
def test_p2_goal_and_start_outside_the_map_or_nowhere(where: float, axis: int) -> None:
    plans, inside = planner(np.zeros((10, 10))), (0.5, 0.5, 0.0)
    outside = (where, 0.5, 0.0) if axis == 0 else (0.5, where, 0.0)
    assert code(plans.plan(inside, outside)) is PlanError.GOAL_OUTSIDE_MAP == 204
    assert code(plans.plan(outside, inside)) is PlanError.START_OUTSIDE_MAP == 203
    assert code(plans.plan(outside, outside)) is PlanError.START_OUTSIDE_MAP


def test_a_heading_that_is_no_number_is_refused() -> None:
    plans = planner(np.zeros((10, 10)))
    assert code(plans.plan((0.5, 0.5, 0.0), (0.7, 0.7, math.nan))) is PlanError.GOAL_OUTSIDE_MAP
    assert code(plans.plan((0.5, 0.5, math.inf), (0.7, 0.7, 0.0))) is PlanError.START_OUTSIDE_MAP


@pytest.mark.parametrize("mode", ["shortest", "cost_aware"])
def test_p4_no_short_cut_over_the_border(mode: str) -> None:
    costs = np.zeros((30, 20))
    costs[15, 1:19] = LETHAL
    found = planner(costs, mode=mode).plan((1.95, 1.65, 0.0), (0.05, 1.35, 0.0))
    assert isinstance(found, Plan)
    assert np.hypot(*np.diff(found.cells, axis=0).T).max() <= math.sqrt(2)
    closed = costs.copy()
    closed[15] = LETHAL
    assert code(planner(closed, mode=mode).plan((1.95, 1.65, 0.0), (0.05, 1.35, 0.0))) is PlanError.NO_VALID_PATH


@pytest.mark.parametrize("value", [INSCRIBED, LETHAL, NO_INFORMATION])
def test_p5_a_robot_that_drifted_into_an_obstacle(value: int) -> None:
    costs = np.zeros((20, 20))
    costs[8:12, 8:12] = INSCRIBED
    costs[9:11, 9:11] = value
    start, goal = (0.95, 0.95, 0.0), (1.8, 1.8, 0.0)
    assert code(planner(costs).plan(start, goal)) is PlanError.START_OCCUPIED == 205
    assert code(planner(costs, escape_m=0.1).plan(start, goal)) is PlanError.START_OCCUPIED
    found = planner(costs, escape_m=0.3).plan(start, goal)
    assert isinstance(found, Plan) and found.poses[0][:2] == start[:2] and found.poses[-1] == goal
    assert tuple(found.cells[0].tolist()) == (7, 9), "the nearest of the free cells, the lowest of equally near ones"
    assert found.poses == planner(costs, escape_m=0.3).plan(start, goal).poses  # type: ignore[union-attr]


def test_p5_nobody_escapes_through_a_wall() -> None:
    costs = np.zeros((20, 20))
    costs[:, 9] = LETHAL
    costs[:, 10:16] = INSCRIBED
    found = planner(costs, escape_m=1.0).plan((1.05, 1.05, 0.0), (1.8, 1.8, 0.0))
    assert isinstance(found, Plan) and found.cells[0].tolist() == [10, 16]
    costs[:, 14] = LETHAL
    assert code(planner(costs, escape_m=1.0).plan((1.05, 1.05, 0.0), (1.8, 1.8, 0.0))) is PlanError.START_OCCUPIED


@pytest.mark.parametrize("mode", ["shortest", "cost_aware"])
def test_p7_an_unreachable_goal_is_known_without_a_search(mode: str) -> None:
    costs = np.zeros((600, 600))
    costs[300:310, 300] = costs[300:310, 310] = costs[300, 300:311] = costs[310, 300:311] = LETHAL
    plans = planner(costs, mode=mode)
    found = plans.plan((1.0, 1.0, 0.0), (30.55, 30.55, 0.0))
    assert code(found) is PlanError.NO_VALID_PATH == 208 and plans.search_map.expanded == 0
    assert code(plans.plan((1.0, 1.0, 0.0), (59.0, 59.0, 0.0), budget_s=0.0)) is PlanError.TIMEOUT == 207


def test_p9_a_goal_deep_in_an_obstacle_fails_at_once() -> None:
    costs = np.zeros((100, 100))
    costs[40:60, 40:60] = LETHAL
    plans = planner(costs)
    assert code(plans.plan((1.0, 1.0, 0.0), (5.0, 5.0, 0.0), tolerance_m=0.25)) is PlanError.GOAL_OCCUPIED == 206
    assert plans.search_map.expanded == 0


@pytest.mark.parametrize("seed", range(6))
def test_p11_every_piece_of_an_any_angle_path_is_checked(seed: int) -> None:
    random = np.random.default_rng(seed)
    occupied = random.random((120, 120)) < 0.004
    near = distance_to_obstacles(occupied, 0.1, 1.0, outside_occupied=False)
    costs = np.where(near < 1.0, np.rint(MOST_INFLATED * np.exp(-20.0 * np.maximum(near - 0.5, 0.0))), 0)
    costs[near < 0.5] = INSCRIBED
    costs[occupied] = LETHAL
    free = np.argwhere(costs < INSCRIBED)
    grid = OccupancyGrid(np.where(costs < INSCRIBED, 0, 100).astype(np.int8), 0.1, (0.0, 0.0))
    for mode in ("shortest", "cost_aware"):
        plans = planner(costs, mode=mode)
        for _ in range(25):
            a, b = ((c + random.random(), r + random.random()) for r, c in random.choice(free, 2).tolist())
            found = plans.plan((a[0] * 0.1, a[1] * 0.1, 0.0), (b[0] * 0.1, b[1] * 0.1, 0.0))
            if isinstance(found, Plan):
                pieces = pairwise(found.poses)
                assert all(grid.is_free(cell) for p, q in pieces for cell in cells_on_line(grid, p[:2], q[:2]))


def test_p17_a_goal_in_another_frame_is_transformed_never_taken_as_it_is() -> None:
    plans = planner(np.zeros((300, 300)))
    frames = {"base_link": (10.0, 0.05, 0.0)}
    start = FramedPose("base_link", 0.0, 0.0)
    found = plans.plan_framed(start, FramedPose("base_link", 10.0, 0.0), frames)
    assert isinstance(found, Plan) and found.poses[0][:2] == (10.0, 0.05) and found.poses[-1][:2] == (20.0, 0.05)
    for unknown in ("odom", "", "Map"):
        assert code(plans.plan_framed(start, FramedPose(unknown, 10.0, 0.0), frames)) is PlanError.TF_ERROR == 202
        assert code(plans.plan_framed(FramedPose(unknown, 1.0, 1.0), FramedPose("map", 1.0, 1.0))) is PlanError.TF_ERROR
    assert code(plans.plan_framed(start, start, {"base_link": (math.nan, 0.0, 0.0)})) is PlanError.TF_ERROR
    assert code(plans.plan_framed(start, FramedPose("base_link", math.nan, 0.0), frames)) is PlanError.GOAL_OUTSIDE_MAP


def test_p17_frames_turn() -> None:
    quarter = (0.0, 0.0, math.sin(math.pi / 4), math.cos(math.pi / 4))
    found = in_map(FramedPose("/base_link", 2.0, 1.0, quarter), {"base_link": (5.0, 5.0, math.pi / 2)})
    assert found == pytest.approx((4.0, 7.0, math.pi)) or found == pytest.approx((4.0, 7.0, -math.pi))
    assert in_map(FramedPose("map", 2.0, 1.0, (0.0, 0.0, 3.0, 3.0))) == pytest.approx((2.0, 1.0, math.pi / 2))


@pytest.mark.parametrize(
    "quaternion", [(0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, math.nan), (math.inf, 0.0, 0.0, 1.0), (1e-9, 0.0, 0.0, 0.0)]
)
def test_p19_a_quaternion_that_is_no_rotation(quaternion: tuple[float, float, float, float]) -> None:
    plans, good = planner(np.zeros((20, 20))), FramedPose("map", 0.5, 0.5)
    bad = FramedPose("map", 1.0, 1.0, quaternion)
    assert code(plans.plan_framed(good, bad)) is PlanError.TF_ERROR
    assert code(plans.plan_framed(bad, good)) is PlanError.TF_ERROR
