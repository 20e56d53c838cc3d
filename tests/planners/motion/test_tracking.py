"""Pure pursuit rolled out, driven by a base that does exactly what it is told."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.tensor import Field
from premotor_planners.maps.supercover import Point
from premotor_planners.motion.state import RobotState
from premotor_planners.motion.tracking import Tracker

KERNEL = Mppi(16, 40, 0.05)


def arc(radius_m: float, length_m: float) -> tuple[Point, ...]:
    """From the origin along the x axis, turning left."""
    angles = np.linspace(0.0, length_m / radius_m, 60)
    return tuple((radius_m * math.sin(a), radius_m * (1.0 - math.cos(a))) for a in angles)


def after(state: RobotState, sequence: Field, steps: int) -> RobotState:
    x, y, yaw = state.pose
    v = w = 0.0
    for v, w in sequence[:steps].tolist():
        middle = yaw + w * KERNEL.dt_s / 2
        x, y = x + v * KERNEL.dt_s * math.cos(middle), y + v * KERNEL.dt_s * math.sin(middle)
        yaw += w * KERNEL.dt_s
    return RobotState(x, y, yaw, v, w)


def distance_m(state: RobotState, points: tuple[Point, ...]) -> float:
    return min(math.dist((state.x, state.y), point) for point in points)


@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("radius_m", [0.8, 2.0, 1e6])
def test_it_keeps_to_the_way_in_either_sense_and_stops_at_its_end(sense: int, radius_m: float) -> None:
    points, state = arc(radius_m, 1.2), RobotState(0.0, 0.0, 0.0 if sense > 0 else math.pi)
    tracker = Tracker(KERNEL, points, sense)
    for _ in range(80):
        state = after(state, tracker.sequence(state, 0.4), 4)
        assert distance_m(state, points) < 0.05
        assert state.v_mps * sense >= 0.0
    assert math.dist((state.x, state.y), points[-1]) < 0.08 and abs(state.v_mps) < 0.08


def test_one_sequence_is_the_whole_drive_that_repeated_ones_make() -> None:
    points, tracker = arc(1.0, 1.5), Tracker(KERNEL, arc(1.0, 1.5), 1)
    state = RobotState(0.0, 0.05, 0.2)
    whole = tracker.sequence(state, 0.3)
    stepwise = []
    for _ in range(10):
        stepwise.append(tracker.sequence(state, 0.3)[0])
        state = after(state, stepwise[-1][None], 1)
    assert np.allclose(whole[:10], stepwise, atol=1e-3) and distance_m(state, points) < 0.06


@given(
    st.tuples(st.floats(-3, 3), st.floats(-3, 3), st.floats(-7, 7)),
    st.tuples(st.floats(-0.15, 0.8), st.floats(-1.8, 1.8)),
    st.sampled_from([1, -1]),
    st.floats(0.05, 2.0),
)
@settings(max_examples=60, deadline=None)
def test_wherever_the_robot_is_the_speeds_keep_the_limits(
    pose: tuple[float, float, float], speeds: tuple[float, float], sense: int, cruise_mps: float
) -> None:
    sequence = Tracker(KERNEL, arc(1.0, 2.0), sense).sequence(RobotState(*pose, *speeds), cruise_mps)
    assert np.isfinite(sequence).all()
    before = np.concatenate([np.array([speeds], np.float32), sequence])
    for number, channel in enumerate(KERNEL.motion.channels):
        assert (np.abs(np.diff(before[:, number])) <= channel.rate * KERNEL.dt_s + 1e-5).all()
        low, high = min(channel.low, speeds[number]), max(channel.high, speeds[number])
        assert (sequence[:, number] >= low - 1e-5).all() and (sequence[:, number] <= high + 1e-5).all()


def test_a_way_of_two_equal_points_is_arrived_at() -> None:
    sequence = Tracker(KERNEL, ((1.0, 1.0), (1.0, 1.0)), 1).sequence(RobotState(1.0, 1.0, 0.0), 0.5)
    assert np.isfinite(sequence).all() and not sequence[:, 0].any()
