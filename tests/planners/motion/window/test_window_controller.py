from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np
import pytest

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_ackermann import Ackermann
from premotor_planners.motion.controller import ControlDecision
from premotor_planners.motion.state import Command, Goal, LaserScan, RobotState, wrapped
from premotor_planners.motion.window.controller import WindowController
from premotor_planners.motion.window.dwa import DwaController
from premotor_planners.motion.window.surroundings import Seen, Surroundings

ScanOf = Callable[..., LaserScan]


def followed(
    pilot: WindowController | DwaController, goal: Goal, posts: Sequence[tuple[float, float, float]], scan_of: ScanOf,
    start: tuple[float, float, float] = (0.0, 0.0, 0.0), most: int = 200,
) -> tuple[list[RobotState], ControlDecision]:  # fmt: skip
    pilot.follow(goal)
    (x, y, yaw), sent, states = start, Command(0.0, 0.0), []
    for number in range(most):
        state = RobotState(x, y, yaw, sent.v_mps, sent.w_rps, number * 0.05)
        states.append(state)
        decision = pilot.command(state, scan_of((x, y, yaw), posts, state.stamp_s), sent)
        if decision.status in ("arrived", "failed"):
            break
        sent = decision.command
        x, y = x + sent.v_mps * math.cos(yaw) * 0.05, y + sent.v_mps * math.sin(yaw) * 0.05
        yaw = wrapped(yaw + sent.w_rps * 0.05)
    return states, decision


def test_a_straight_goal_is_reached_without_overshoot(controller: WindowController, scan_of: ScanOf) -> None:
    states, decision = followed(controller, Goal(3.0, 0.0, 0.0), [], scan_of)
    assert decision.status == "arrived"
    assert math.dist((states[-1].x, states[-1].y), (3.0, 0.0)) <= 0.12
    assert max(state.x for state in states) < 3.12 and abs(states[-1].v_mps) < 0.03
    speeds = np.array([[state.v_mps, state.w_rps] for state in states])
    assert np.abs(np.diff(speeds[:, 0])).max() <= 1.0 * 0.05 + 1e-4
    assert np.abs(np.diff(speeds[:, 1])).max() <= 5.0 * 0.05 + 1e-4


def test_a_goal_behind_is_turned_to(controller: WindowController, scan_of: ScanOf) -> None:
    states, decision = followed(controller, Goal(-2.0, 0.0), [], scan_of)
    assert decision.status == "arrived"
    assert max(state.x for state in states) < 0.3


def test_a_robot_that_drives_backwards_to_a_far_goal_turns_round(controller: WindowController, scan_of: ScanOf) -> None:
    controller.follow(Goal(6.0, 0.0))
    sent = Command(-0.3, 0.0)
    statuses = []
    for number in range(12):
        x = 0.3 * 0.05 * number
        state = RobotState(x, 0.0, math.pi, sent.v_mps, sent.w_rps, number * 0.05)
        statuses.append(controller.command(state, scan_of(state.pose, [], state.stamp_s), sent).status)
    assert "turning" in statuses


def test_a_turn_to_a_heading_that_turns_away_is_given_up(
    controller: WindowController, scan_of: ScanOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    surroundings = controller._surroundings
    seen = surroundings.seen

    def fleeing(state: RobotState, goal: Goal, stuck: bool) -> Seen:
        return replace(
            seen(state, goal, stuck), turn_to_rad=wrapped(state.yaw + math.copysign(0.5, math.sin(9 * state.yaw)))
        )

    monkeypatch.setattr(surroundings, "seen", fleeing)
    controller.follow(Goal(3.0, 0.0))
    statuses, yaw, sent = [], 1.0, Command(0.0, 0.0)
    for number in range(200):
        state = RobotState(0.0, 0.0, yaw, 0.0, sent.w_rps, number * 0.05)
        decision = controller.command(state, scan_of(state.pose, [], state.stamp_s), sent)
        statuses.append(decision.status)
        sent = Command(0.0, decision.w_rps)
        yaw = wrapped(yaw + sent.w_rps * 0.05)
    runs = [len(list(group)) for status, group in groupby(statuses) if status == "turning"]
    assert max(runs) == controller._parameters.turn_for and len(runs) > 1


def test_posts_are_driven_around(controller: WindowController, scan_of: ScanOf) -> None:
    posts = [(1.2, 0.05, 0.1), (1.2, 0.45, 0.1), (2.2, -0.5, 0.1)]
    states, decision = followed(controller, Goal(3.0, 0.0), posts, scan_of)
    assert decision.status == "arrived"
    nearest = min(math.dist((s.x, s.y), post[:2]) - post[2] for s in states for post in posts)
    assert nearest > 0.216


def test_dwa_reaches_an_open_goal_and_drives_around_a_post(
    kernel: Mppi, surroundings: Surroundings, scan_of: ScanOf
) -> None:
    posts = [(1.2, 0.1, 0.1)]
    states, decision = followed(DwaController(kernel, surroundings), Goal(3.0, 0.0, tolerance_m=0.2), posts, scan_of)
    assert decision.status == "arrived"
    assert min(math.dist((s.x, s.y), (1.2, 0.1)) - 0.1 for s in states) > 0.216


def test_equal_inputs_give_equal_decisions(controller: WindowController, scan_of: ScanOf) -> None:
    first, _ = followed(controller, Goal(3.0, 0.5), [(1.2, 0.0, 0.1)], scan_of, most=20)
    controller.restart()
    second, _ = followed(controller, Goal(3.0, 0.5), [(1.2, 0.0, 0.1)], scan_of, most=20)
    assert first == second


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_states_that_are_not_finite_brake(controller: WindowController, bad: float) -> None:
    controller.follow(Goal(3.0, 0.0))
    decision = controller.command(RobotState(bad, 0.0, 0.0, 0.5), None)
    assert decision.status == "failed" and decision.command == Command(0.0, 0.0)
    assert np.isfinite(controller.command(RobotState(0.0, 0.0, 0.0), None).sequence).all()


def test_a_window_full_of_obstacles_gives_finite_commands(controller: WindowController) -> None:
    controller.follow(Goal(3.0, 0.0))
    scan = LaserScan(0.0, np.full(360, 0.06, np.float32), 0.05, 10.0)
    for number in range(60):
        decision = controller.command(RobotState(0.0, 0.0, 0.0, stamp_s=number * 0.05), scan, Command(0.0, 0.0))
        assert np.isfinite(decision.sequence).all() and decision.status != "arrived"
    assert decision.status == "blocked"


def test_no_goal_brakes_within_the_limits(controller: WindowController) -> None:
    decision = controller.command(RobotState(0.0, 0.0, 0.0, 0.5, 0.5), None, Command(0.5, 0.5))
    assert decision.status == "idle"
    assert abs(decision.v_mps) <= 0.5 and abs(decision.w_rps) <= 0.5


def test_sizes_and_motions_that_do_not_fit_are_refused(kernel: Mppi, surroundings: Surroundings) -> None:
    other = Mppi(rows=64, cols=64)
    with pytest.raises(ValueError, match="make them equal"):
        WindowController(other, CpuDevice().compile(other), surroundings)
    car = Mppi(motion=Ackermann())
    with pytest.raises(ValueError, match="differential"):
        WindowController(car, CpuDevice().compile(kernel), surroundings)
