from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.se2.curves import Curve, Motion, shortest_curve
from premotor_planners.se2.pieces import Piece, joined, pose_after, sampled

Pose = tuple[float, float, float]
MOTIONS: tuple[Motion, ...] = ("dubins", "reeds_shepp")
poses = st.tuples(st.floats(-4, 4), st.floats(-4, 4), st.floats(-math.pi, math.pi))


def driven(start: Pose, curve: Curve) -> Pose:
    """By small straight steps, independently of the arcs' formula."""
    x, y, yaw = start
    for piece in curve.pieces:
        n = 2000
        ds = piece.length_m / n
        headings = yaw + (np.arange(n) + 0.5) * ds * piece.curvature
        x, y = x + float(np.cos(headings).sum() * ds), y + float(np.sin(headings).sum() * ds)
        yaw += piece.length_m * piece.curvature
    return x, y, yaw


def apart(a: Pose, b: Pose) -> float:
    return math.dist(a[:2], b[:2]) + abs(math.remainder(a[2] - b[2], 2 * math.pi))


def carried(pose: Pose, by: Pose) -> Pose:
    c, s = math.cos(by[2]), math.sin(by[2])
    return by[0] + c * pose[0] - s * pose[1], by[1] + s * pose[0] + c * pose[1], by[2] + pose[2]


@pytest.mark.parametrize("motion", MOTIONS)
@settings(max_examples=300, deadline=None)
@given(poses, poses, st.floats(0.2, 2.0))
def test_a_curve_ends_at_the_goal_within_its_limits(motion: Motion, start: Pose, goal: Pose, radius: float) -> None:
    curve = shortest_curve(start, goal, radius, motion)
    assert apart(driven(start, curve), goal) < 1e-4
    assert curve.length_m == pytest.approx(sum(abs(piece.length_m) for piece in curve.pieces), abs=1e-9)
    assert all(abs(piece.curvature) <= 1 / radius + 1e-9 for piece in curve.pieces)
    assert curve.length_m >= math.dist(start[:2], goal[:2]) - 1e-9
    if motion == "dubins":
        assert all(piece.length_m > 0 for piece in curve.pieces)


@settings(max_examples=200, deadline=None)
@given(poses, poses)
def test_reeds_shepp_is_symmetric_and_never_longer_than_dubins(start: Pose, goal: Pose) -> None:
    there = shortest_curve(start, goal, 1.0).length_m
    assert there == pytest.approx(shortest_curve(goal, start, 1.0).length_m, abs=1e-6)
    assert there <= shortest_curve(start, goal, 1.0, "dubins").length_m + 1e-6


@pytest.mark.parametrize("motion", MOTIONS)
@settings(max_examples=200, deadline=None)
@given(poses, poses, poses)
def test_lengths_do_not_depend_on_place_mirror_or_scale(motion: Motion, start: Pose, goal: Pose, by: Pose) -> None:
    length = shortest_curve(start, goal, 1.0, motion).length_m
    assert shortest_curve(carried(start, by), carried(goal, by), 1.0, motion).length_m == pytest.approx(
        length, abs=1e-5
    )
    mirrored = [(x, -y, -yaw) for x, y, yaw in (start, goal)]
    assert shortest_curve(*mirrored, 1.0, motion).length_m == pytest.approx(length, abs=1e-5)
    doubled = [(2 * x, 2 * y, yaw) for x, y, yaw in (start, goal)]
    assert shortest_curve(*doubled, 2.0, motion).length_m == pytest.approx(2 * length, abs=1e-5)


@pytest.mark.parametrize("motion", MOTIONS)
def test_no_way_over_a_third_pose_is_shorter(motion: Motion) -> None:
    """Optimality from the outside: a shortest length obeys the triangle inequality over any pose."""
    random = np.random.default_rng(5)
    for _ in range(4000):
        a, b, c = (tuple(map(float, p)) for p in random.uniform([-3, -3, -3.14], [3, 3, 3.14], (3, 3)))
        over = shortest_curve(a, b, 1.0, motion).length_m + shortest_curve(b, c, 1.0, motion).length_m
        assert shortest_curve(a, c, 1.0, motion).length_m <= over + 1e-6


@pytest.mark.parametrize("motion", MOTIONS)
def test_no_word_of_arcs_that_is_tried_is_shorter(motion: Motion) -> None:
    """Optimality from the inside: no way of up to five arcs and straights is shorter than what leads to its end."""
    random = np.random.default_rng(6)
    senses = (1,) if motion == "dubins" else (1, -1)
    for _ in range(4000):
        lengths = random.uniform(0, 2.5, 5) * random.choice(senses, 5)
        way = Curve(
            tuple(Piece(float(k), float(s)) for k, s in zip(random.integers(-1, 2, 5), lengths, strict=True)), 0.0
        )
        end = (0.0, 0.0, 0.0)
        for piece in way.pieces:
            end = pose_after(end, piece)
        assert shortest_curve((0, 0, 0), end, 1.0, motion).length_m <= float(np.abs(lengths).sum()) + 1e-6


def test_known_lengths() -> None:
    for motion in MOTIONS:
        assert shortest_curve((0, 0, 0), (3, 0, 0), 1.0, motion).length_m == pytest.approx(3.0)
        assert shortest_curve((0, 0, 0), (1, 1, math.pi / 2), 1.0, motion).length_m == pytest.approx(math.pi / 2)
        assert shortest_curve((0, 0, 0), (0, 2, math.pi), 1.0, motion).length_m == pytest.approx(math.pi)
        assert shortest_curve((1, 2, 3), (1, 2, 3), 1.0, motion).length_m == pytest.approx(0.0, abs=1e-9)
    assert shortest_curve((0, 0, 0), (-3, 0, 0), 1.0).length_m == pytest.approx(3.0)
    assert shortest_curve((0, 0, 0), (0, 0, math.pi), 1.0).length_m == pytest.approx(math.pi)
    # back to where it was without reversing: three arcs, 7 pi / 3 in all
    assert shortest_curve((0, 0, 0), (0, 0, math.pi), 1.0, "dubins").length_m == pytest.approx(7 * math.pi / 3)


@pytest.mark.parametrize(
    ("radius", "goal"), [(0.0, 1.0), (-1.0, 1.0), (math.nan, 1.0), (math.inf, 1.0), (1.0, math.nan)]
)
def test_what_is_no_radius_or_pose_is_refused(radius: float, goal: float) -> None:
    with pytest.raises(ValueError, match=r"must be (above 0|finite)"):
        shortest_curve((0.0, 0.0, 0.0), (goal, 0.0, 0.0), radius)


def test_samples_are_near_enough_and_end_at_the_pieces_ends() -> None:
    way = [Piece(0.0, 1.0), Piece(2.0, 0.7), Piece(0.0, 0.0, -1.0), Piece(-2.0, -0.3)]
    points, senses = sampled((1.0, 2.0, 0.5), way, 0.02, 0.4)
    moves = np.hypot(*np.diff(points[:, :2], axis=0).T) + 0.4 * np.abs(np.diff(points[:, 2]))
    assert (moves <= 0.02 + 1e-9).all() and set(senses.tolist()) == {1, 0, -1}
    end: Pose = (1.0, 2.0, 0.5)
    for piece in way:
        end = pose_after(end, piece)
        assert min(apart(end, tuple(p)) for p in points) < 1e-9
    assert sampled((1.0, 2.0, 0.5), [], 0.02, 0.4)[0].tolist() == [[1.0, 2.0, 0.5]]


def test_equal_neighbours_are_joined() -> None:
    way = [
        Piece(0.0, 1.0),
        Piece(0.0, 0.5),
        Piece(0.0, -0.5),
        Piece(0.0, 0.0, 0.1),
        Piece(0.0, 0.0, 0.2),
        Piece(1.0, 0.0),
    ]
    assert joined(way) == (Piece(0.0, 1.5), Piece(0.0, -0.5), Piece(0.0, 0.0, pytest.approx(0.3)))
    assert [piece.sense for piece in joined(way)] == [1, -1, 0]
    assert not list(itertools.chain(joined([])))
