"""The circle's planner and the outline's, both real, in one request."""

from __future__ import annotations

import math

import numpy as np
import pytest

from premotor_planners.maps.distance import inflate
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.motion.footprint import ConvexPolygon
from premotor_planners.planning.cost_grid import CostGrid
from premotor_planners.planning.outcome import Plan, PlanCancelled, PlanError, PlanFailure
from premotor_planners.planning.planner import GlobalPlanner
from premotor_planners.planning.stopping import Cancel
from premotor_planners.se2.fallback import plan_with_outline_where_needed
from premotor_planners.se2.planner import Se2Plan, Se2Planner
from premotor_planners.se2.settings import Se2Settings

JACKAL = ConvexPolygon(((0.254, -0.216), (0.254, 0.216), (-0.254, 0.216), (-0.254, -0.216)))
START = (0.8, 2.0, 0.0)


def planners(gap_cells: int) -> tuple[GlobalPlanner, Se2Planner, OccupancyGrid]:
    """A wall 0.2 m thick at x = 2 with a gap whose middle is near y = 2."""
    occupied = np.zeros((80, 80), np.bool_)
    occupied[:, 40:44] = True
    occupied[40 - gap_cells // 2 : 40 - gap_cells // 2 + gap_cells, 40:44] = False
    grid = OccupancyGrid(np.where(occupied, 100, 0).astype(np.int8), 0.05, (0.0, 0.0))
    circle = GlobalPlanner(CostGrid.of_occupancy(inflate(grid, JACKAL.reach_m)))
    return circle, Se2Planner(grid, JACKAL, Se2Settings(turn_in_place=True)), grid


def test_a_wide_gap_is_the_circles() -> None:
    circle, outline, _ = planners(20)
    found = plan_with_outline_where_needed(circle, outline, START, (3.2, 2.0, 0.0))
    assert isinstance(found, Plan) and found.exact


def test_a_narrow_gap_is_the_outlines() -> None:
    circle, outline, grid = planners(11)
    assert isinstance(circle.plan(START, (3.2, 2.0, 0.0)), PlanFailure)
    found = plan_with_outline_where_needed(circle, outline, START, (3.2, 2.0, 0.0))
    assert isinstance(found, Se2Plan) and found.length_m < 3.0
    assert outline.room.first_hit(found.poses) == len(found.poses)
    assert np.hypot(*(found.poses[-1, :2] - np.array([3.2, 2.0]))) < 1e-6 and grid.is_free(grid.cell_of(3.2, 2.0))


def test_a_goal_beside_a_wall_that_the_circle_touches_is_the_outlines() -> None:
    circle, outline, _ = planners(20)
    goal = (1.7, 3.0, math.pi / 2)
    found = plan_with_outline_where_needed(circle, outline, START, goal)
    assert isinstance(found, Se2Plan) and tuple(found.poses[-1]) == pytest.approx(goal, abs=1e-6)
    across = plan_with_outline_where_needed(circle, outline, START, (1.78, 3.0, 0.0))
    assert isinstance(across, PlanFailure) and across.code is PlanError.GOAL_OCCUPIED


def test_a_gap_that_is_too_narrow_for_both_is_no_way() -> None:
    circle, outline, _ = planners(8)
    found = plan_with_outline_where_needed(circle, outline, START, (3.2, 2.0, 0.0), budget_s=30.0)
    assert isinstance(found, PlanFailure) and found.code is PlanError.NO_VALID_PATH


def test_budget_and_cancel_hold_for_both() -> None:
    circle, outline, _ = planners(11)
    late = plan_with_outline_where_needed(circle, outline, START, (3.2, 2.0, 0.0), budget_s=0.0)
    assert isinstance(late, PlanFailure) and late.code is PlanError.TIMEOUT
    cancel = Cancel()
    cancel.set()
    assert isinstance(
        plan_with_outline_where_needed(circle, outline, START, (3.2, 2.0, 0.0), cancel=cancel), PlanCancelled
    )
    outside = plan_with_outline_where_needed(circle, outline, START, (99.0, 2.0, 0.0))
    assert isinstance(outside, PlanFailure) and outside.code is PlanError.GOAL_OUTSIDE_MAP
