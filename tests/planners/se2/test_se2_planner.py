"""Plans are swept again here, more finely than they were checked, and with geometry of its own."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from premotor_planners.costmap.errors import FootprintError
from premotor_planners.costmap.footprint import polygon_footprint
from premotor_planners.errors import MapError
from premotor_planners.maps.distance import inflate
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.motion.footprint import ConvexPolygon, Disc
from premotor_planners.planning.framed_pose import FramedPose
from premotor_planners.planning.outcome import Plan, PlanCancelled, PlanError, PlanFailure
from premotor_planners.planning.stopping import Cancel
from premotor_planners.se2.fallback import plan_with_outline_where_needed
from premotor_planners.se2.pieces import Piece, pose_after
from premotor_planners.se2.planner import Se2Outcome, Se2Plan, Se2Planner
from premotor_planners.se2.settings import Se2Settings

Pose = tuple[float, float, float]
JACKAL = ConvexPolygon(((0.254, -0.216), (0.254, 0.216), (-0.254, 0.216), (-0.254, -0.216)))
TUG = polygon_footprint(
    ((0.4, -0.1), (0.4, 0.1), (0.1, 0.1), (0.1, 0.25), (-0.2, 0.25), (-0.2, -0.25), (0.1, -0.25), (0.1, -0.1))
)
DUBINS = Se2Settings(motion="dubins")
TURNING = Se2Settings(turn_in_place=True)


def grid_of(occupied: np.ndarray) -> OccupancyGrid:
    return OccupancyGrid(np.where(occupied, 100, 0).astype(np.int8), 0.05, (-1.0, 2.0))


def wall_with_gap(cells: int, rows: int = 80, cols: int = 100) -> OccupancyGrid:
    occupied = np.zeros((rows, cols), np.bool_)
    occupied[:, 50:52] = True
    occupied[40 : 40 + cells, 50:52] = False
    return grid_of(occupied)


def touched(corners: np.ndarray, pose: Pose, grid: OccupancyGrid) -> bool:
    """Whether points dense on the outline, or inside it, lie in occupied cells or beyond the map."""
    after = np.roll(corners, -1, axis=0)
    share = np.linspace(0, 1, 60, endpoint=False)[:, None, None]
    edge = (corners + share * (after - corners)).reshape(-1, 2)
    c, s = math.cos(pose[2]), math.sin(pose[2])
    x, y = pose[0] + c * edge[:, 0] - s * edge[:, 1], pose[1] + s * edge[:, 0] + c * edge[:, 1]
    col = np.floor((x - grid.origin_m[0]) / 0.05).astype(int)
    row = np.floor((y - grid.origin_m[1]) / 0.05).astype(int)
    inside = (row >= 0) & (col >= 0) & (row < grid.shape[0]) & (col < grid.shape[1])
    return bool((~inside).any() or grid.occupied[row, col].any())


def checked(outcome: Se2Outcome, planner: Se2Planner, start: Pose, goal: Pose) -> Se2Plan:
    assert isinstance(outcome, Se2Plan), outcome
    settings, corners = planner.settings, np.array(planner.room.outline)
    np.testing.assert_allclose(outcome.poses[0], start, atol=1e-9)
    assert math.dist(outcome.poses[-1][:2], goal[:2]) < 1e-6
    assert abs(math.remainder(outcome.poses[-1][2] - goal[2], 2 * math.pi)) < 1e-6
    at = start
    for piece in outcome.pieces:
        assert abs(piece.curvature) <= 1 / settings.minimum_turning_radius_m + 1e-9
        assert settings.motion == "reeds_shepp" or piece.sense >= 0
        assert settings.turn_in_place or piece.turn == 0
        steps = max(2, math.ceil((abs(piece.length_m) + 0.5 * abs(piece.turned)) / 0.008))
        for i in range(steps + 1):
            assert not touched(corners, pose_after(at, piece, i / steps), planner.room.grid), (piece, i)
        at = pose_after(at, piece)
    moves = np.hypot(*np.diff(outcome.poses[:, :2], axis=0).T) + planner.room.reach_m * np.abs(
        np.diff(outcome.poses[:, 2])
    )
    assert (moves <= settings.spacing_m + 1e-9).all()
    return outcome


@pytest.mark.parametrize("settings", [Se2Settings(), DUBINS, TURNING], ids=["reeds_shepp", "dubins", "turning"])
@pytest.mark.parametrize("footprint", [JACKAL, TUG], ids=["box", "tug"])
def test_through_a_gap_that_the_circle_does_not_fit(settings: Se2Settings, footprint: ConvexPolygon) -> None:
    grid = wall_with_gap(11)  # 0.55 m; the outlines are 0.43 and 0.5 m wide, the circles around them 0.67 and 0.82 m
    planner, start, goal = Se2Planner(grid, footprint, settings), (0.0, 3.0, 0.0), (3.2, 5.2, 1.0)
    plan = checked(planner.plan(start, goal), planner, start, goal)
    again = planner.plan(start, goal)
    assert isinstance(again, Se2Plan) and (again.poses == plan.poses).all()
    grown = inflate(grid, footprint.reach_m)
    assert grown.occupied[:, 51].all(), "the circle gets through"
    narrow = Se2Planner(wall_with_gap(8), footprint, settings).plan(start, goal, budget_s=1.0)  # 0.4 m
    assert isinstance(narrow, PlanFailure)
    # the box is refused at once by its inscribed radius; the tug's is small, so the search has to look
    assert narrow.code == PlanError.NO_VALID_PATH or footprint is TUG


@pytest.mark.parametrize("motion", ["reeds_shepp", "dubins"])
def test_random_clutter(motion: str) -> None:
    planned = 0
    for seed in range(6):
        occupied = np.random.default_rng(seed).random((90, 110)) < 0.004
        occupied[:22, :22] = occupied[-22:, -22:] = False
        settings = Se2Settings(motion=motion, max_planning_time_s=30.0)  # type: ignore[arg-type]
        planner, start, goal = Se2Planner(grid_of(occupied), JACKAL, settings), (-0.5, 2.5, 0.7), (4.0, 6.0, 0.3)
        outcome = planner.plan(start, goal)
        if not isinstance(outcome, PlanFailure):
            plan = checked(outcome, planner, start, goal)
            assert plan.length_m < 2 * math.dist(start[:2], goal[:2])
            planned += 1
    assert planned >= 4  # some of these have no way


def test_parking_between_two_others_needs_reverse() -> None:
    occupied = np.zeros((40, 80), np.bool_)
    occupied[:10, :28] = occupied[:10, 45:] = True  # a bay of 0.85 m beside the way
    planner = Se2Planner(grid_of(occupied), JACKAL, Se2Settings(minimum_turning_radius_m=0.5))
    start, goal = (0.0, 2.9, 0.0), (0.82, 2.26, 0.0)
    plan = checked(planner.plan(start, goal), planner, start, goal)
    assert (plan.senses == -1).any()
    forward = Se2Planner(grid_of(occupied), JACKAL, replace(DUBINS, minimum_turning_radius_m=0.5))
    outcome = forward.plan(start, goal, budget_s=0.5)
    assert isinstance(outcome, PlanFailure) and outcome.code in (PlanError.NO_VALID_PATH, PlanError.TIMEOUT)


def test_turning_on_the_spot_where_no_arc_fits() -> None:
    occupied = np.ones((15, 15), np.bool_)
    occupied[:14, :14] = False  # 0.7 m square, the outline's circle is 0.67 m
    planner = Se2Planner(grid_of(occupied), JACKAL, replace(TURNING, minimum_turning_radius_m=1.0))
    start, goal = (-0.65, 2.35, 0.0), (-0.65, 2.35, math.pi / 2)
    plan = checked(planner.plan(start, goal), planner, start, goal)
    assert (plan.senses == 0).any()
    assert isinstance(planner.plan(start, (-0.65, 2.35, 0.4)), Se2Plan)


def test_the_outline_is_used_only_where_the_circle_fails() -> None:
    class Circle:
        def __init__(self, outcome: Plan | PlanFailure | PlanCancelled) -> None:
            self.outcome = outcome

        def plan(self, *_: object, **__: object) -> Plan | PlanFailure | PlanCancelled:
            return self.outcome

    outline, start, goal = Se2Planner(wall_with_gap(11), JACKAL), (0.0, 3.0, 0.0), (3.2, 5.2, 1.0)
    found = Plan((start, goal), np.zeros((2, 2), np.int32), 1.0, 1.0, (0, 0), True)
    assert plan_with_outline_where_needed(Circle(found), outline, start, goal) is found
    blocked = Circle(PlanFailure(PlanError.NO_VALID_PATH, ""))
    assert isinstance(plan_with_outline_where_needed(blocked, outline, start, goal), Se2Plan)
    late = PlanFailure(PlanError.TIMEOUT, "")
    assert plan_with_outline_where_needed(Circle(late), outline, start, goal) is late
    assert isinstance(plan_with_outline_where_needed(Circle(PlanCancelled()), outline, start, goal), PlanCancelled)


OPEN = np.zeros((80, 80), np.bool_)
OPEN[40:44, 60:64] = True
INSIDE = (1.0, 4.0, 0.0)


@pytest.mark.parametrize(
    ("start", "goal", "code"),
    [
        ((-5.0, 3.0, 0.0), INSIDE, PlanError.START_OUTSIDE_MAP),
        ((math.nan, 3.0, 0.0), INSIDE, PlanError.START_OUTSIDE_MAP),
        (INSIDE, (50.0, 3.0, 0.0), PlanError.GOAL_OUTSIDE_MAP),
        (INSIDE, (1.0, math.inf, 0.0), PlanError.GOAL_OUTSIDE_MAP),
        (INSIDE, (1.0, 3.0, math.nan), PlanError.GOAL_OUTSIDE_MAP),
        ((2.0, 4.1, 0.0), INSIDE, PlanError.START_OCCUPIED),
        (INSIDE, (1.8, 4.1, 0.0), PlanError.GOAL_OCCUPIED),
        (INSIDE, (-0.9, 3.0, 0.0), PlanError.GOAL_OCCUPIED),  # half beyond the map's border
    ],
)
def test_ends_that_cannot_be(start: Pose, goal: Pose, code: PlanError) -> None:
    outcome = Se2Planner(grid_of(OPEN), JACKAL).plan(start, goal)
    assert (
        isinstance(outcome, PlanFailure)
        and outcome.code == code
        and ("start" in outcome.reason or "goal" in outcome.reason)
    )


def test_p1_equal_ends_are_one_pose() -> None:
    plan = Se2Planner(grid_of(OPEN), JACKAL).plan(INSIDE, INSIDE)
    assert isinstance(plan, Se2Plan) and plan.poses.tolist() == [list(INSIDE)] and plan.length_m == 0.0


def test_frames_are_transformed_or_refused() -> None:
    planner = Se2Planner(grid_of(OPEN), JACKAL)
    start = FramedPose("map", 0.0, 3.0)
    plan = planner.plan_framed(start, FramedPose("base_link", 0.5, 0.0), {"base_link": (0.0, 3.0, math.pi / 2)})
    assert isinstance(plan, Se2Plan) and plan.poses[-1][:2] == pytest.approx([0.0, 3.5])
    for bad in (FramedPose("nowhere", 0.0, 0.0), FramedPose("map", 0.0, 3.0, (0.0, 0.0, 0.0, 0.0))):
        for outcome in (planner.plan_framed(start, bad), planner.plan_framed(bad, start)):
            assert isinstance(outcome, PlanFailure) and outcome.code == PlanError.TF_ERROR


def hopeless() -> tuple[Se2Planner, Pose, Pose]:
    """The gap lets a point with the inscribed radius through, and the outline not: everything is searched."""
    grid = wall_with_gap(9, 160, 160)
    fine = Se2Planner(grid, JACKAL, replace(TURNING, spacing_m=0.04))
    return fine, (0.0, 3.0, 0.0), (3.2, 5.2, 1.0)


def test_p7_time_runs_out_on_time_and_a_cancel_is_heard_at_once() -> None:
    planner, start, goal = hopeless()
    for budget in (0.0, 0.05):
        began = time.monotonic()
        outcome = planner.plan(start, goal, budget_s=budget)
        assert isinstance(outcome, PlanFailure) and outcome.code == PlanError.TIMEOUT
        assert time.monotonic() - began < budget + 1.0  # generous: the bound itself is in the native loop
    cancel = Cancel()
    threading.Timer(0.1, cancel.set).start()
    assert isinstance(planner.plan(start, goal, budget_s=30.0, cancel=cancel), PlanCancelled)
    with pytest.raises(ValueError, match="budget_s"):
        planner.plan(start, goal, budget_s=-1.0)


def test_what_cannot_be_planned_with_is_refused() -> None:
    with pytest.raises(FootprintError, match="polygon"):
        Se2Planner(grid_of(OPEN), Disc(0.3))
    for bad in (
        OccupancyGrid(np.zeros((4, 4), np.int8), 0.0, (0.0, 0.0)),
        OccupancyGrid(np.zeros((4, 4), np.int8), -1.0, (0.0, 0.0)),
        OccupancyGrid(np.zeros((4, 4), np.int8), 0.05, (math.nan, 0.0)),
        OccupancyGrid(np.zeros((0, 4), np.int8), 0.05, (0.0, 0.0)),
    ):
        with pytest.raises(MapError, match="the map has"):
            Se2Planner(bad, JACKAL)
    for change in (
        {"motion": "sideways"},
        {"minimum_turning_radius_m": 0.0},
        {"spacing_m": 0.0},
        {"reverse_penalty": 0.5},
    ):
        with pytest.raises(ValueError, match=next(iter(change))):
            Se2Settings(**change)  # type: ignore[arg-type]


@pytest.mark.parametrize("footprint", [JACKAL, TUG], ids=["box", "tug"])
def test_the_room_is_exact(footprint: ConvexPolygon) -> None:
    random = np.random.default_rng(2)
    grid = grid_of(random.random((60, 60)) < 0.01)
    room, corners = Se2Planner(grid, footprint).room, np.array(footprint.corners_m)
    agreed = {True: 0, False: 0}
    for _ in range(500):
        pose = (float(random.uniform(-0.58, 1.58)), float(random.uniform(2.42, 4.58)), float(random.uniform(-4, 4)))
        touches = touched_exactly(corners, pose, grid)
        if touches is None:
            continue
        exact = not touches
        assert room.is_free(pose, 0.0) == exact
        assert not room.is_free(pose) or exact
        agreed[exact] += 1
    assert min(agreed.values()) > 30


def touched_exactly(corners: np.ndarray, pose: Pose, grid: OccupancyGrid) -> bool | None:
    """Each occupied cell's square as points 1 mm apart along its border; None where they are too near to tell."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    cells = np.argwhere(grid.occupied)
    low = cells[:, ::-1] * 0.05 + np.array(grid.origin_m)
    low = low[np.hypot(*(low + 0.025 - np.array(pose[:2])).T) < 0.6]
    t = np.linspace(0, 0.05, 51)
    border = np.concatenate([
        np.stack([t, 0 * t], 1), np.stack([t, 0 * t + 0.05], 1), np.stack([0 * t, t], 1), np.stack([0 * t + 0.05, t], 1)
    ])  # fmt: skip
    points = (low[:, None] + border[None]).reshape(-1, 2) - np.array(pose[:2])
    points = points @ np.array([[c, -s], [s, c]])
    distance = polygon_footprint(corners).distance(points)
    if len(points) and abs(float(distance.min())) < 0.002:
        return None
    return bool(len(points) and (distance < 0).any())


def test_pieces_follow_each_other() -> None:
    assert pose_after((0.0, 0.0, 0.0), Piece(1.0, math.pi / 2)) == pytest.approx((1.0, 1.0, math.pi / 2))
    assert pose_after((0.0, 0.0, 0.0), Piece(0.0, 0.0, 1.0)) == pytest.approx((0.0, 0.0, 1.0))
