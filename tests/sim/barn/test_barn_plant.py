from __future__ import annotations

import math

import numpy as np
import pytest

from premotor_planners.motion.state import Command
from premotor_sim.barn.odometry import Odometry
from premotor_sim.barn.plant import BarnPlant
from premotor_sim.barn.robot import BarnRobot
from premotor_sim.barn.set_up import IDEAL, SetUp
from premotor_sim.barn.world import CylinderWorld

AHEAD = CylinderWorld("ahead", np.array([[-2.25, 5.0, 0.1]]), 10.0)


def plant(set_up: SetUp = IDEAL, seed: int = 3) -> BarnPlant:
    return BarnPlant(AHEAD, set_up, BarnRobot(), np.random.default_rng(seed))


def test_the_base_follows_commands_within_its_limits() -> None:
    made = plant()
    for number in range(20):
        made.command(Command(min(0.1 * (number + 1), 0.6), 0.0))
        made.advance(0.05)
    state, _ = made.sense()
    assert state.v_mps == pytest.approx(0.6, abs=0.03) and abs(state.w_rps) < 0.05
    assert state.x == pytest.approx(made.pose[0], abs=0.005) and not made.touched


def test_dead_time_and_lag_hold_the_base_back() -> None:
    late, prompt = plant(SetUp("late", delay_s=0.2, lag_s=0.3)), plant()
    for made in (late, prompt):
        made.command(Command(0.5, 0.0))
        made.advance(0.2)
    assert late.pose[1] == pytest.approx(3.0, abs=0.03) and prompt.pose[1] > late.pose[1] + 0.02
    late.advance(0.1)
    assert 0.0 < late.sense()[0].v_mps < 0.35


def test_driving_into_a_cylinder_is_noticed() -> None:
    made = plant()
    made.command(Command(1.5, 0.0))
    for _ in range(60):
        made.advance(0.05)
        if made.touched:
            break
    assert made.touched and math.dist(made.pose[:2], (-2.25, 5.0)) < 0.5


def test_the_scan_sees_the_cylinder_and_only_ahead() -> None:
    _, scan = plant().sense()
    assert scan.ranges_m.shape == (720,)
    assert float(np.min(scan.ranges_m)) == pytest.approx(1.9, abs=0.05)
    assert np.isinf(scan.ranges_m[:200]).all() and scan.angle_min == pytest.approx(-0.75 * math.pi)


def test_equal_seeds_give_equal_observations() -> None:
    noisy = SetUp("noisy", 0.02, 0.01, 0.1, 0.1)
    seen = []
    for seed in (3, 3, 4):
        made = plant(noisy, seed)
        made.command(Command(0.5, 0.3))
        made.advance(0.5)
        state, scan = made.sense()
        seen.append((state, scan.ranges_m.tobytes()))
    assert seen[0] == seen[1] and seen[0] != seen[2]


def test_odometry_drifts_by_its_scale_and_is_exact_without_error() -> None:
    for error in (0.0, 0.05):
        odometry = Odometry((0.0, 0.0, 0.0), error, np.random.default_rng(2))
        for number in range(100):
            odometry.moved(((number + 1) * 0.05, 0.0, 0.0), 0.05)
        assert odometry.pose[0] == pytest.approx(5.0, abs=1e-9 if not error else 0.8)
        assert (odometry.pose[0] == pytest.approx(5.0, abs=1e-9)) == (error == 0.0)
