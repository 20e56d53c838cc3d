from __future__ import annotations

import math
from collections import deque

import numpy as np
import pytest

from premotor_planners.motion.state import Command, RobotState
from premotor_planners.motion.window.actuation import Actuation, Response

RATES = (2.0, 5.0)


def driven(delay: int, lag_s: float, periods: int = 80) -> tuple[Actuation, RobotState, deque[Command]]:
    found, random = Actuation(0.05, RATES), np.random.default_rng(1)
    waiting = deque([Command(0.0, 0.0)] * (delay + 1), maxlen=delay + 1)
    share = 1.0 - math.exp(-0.05 / lag_s) if lag_s else 1.0
    v = w = x = y = yaw = 0.0
    sent, target = Command(0.0, 0.0), (0.0, 0.0)
    for number in range(periods):
        if number % 5 == 0:
            target = (float(random.uniform(0, 1)), float(random.uniform(-1, 1)))
        sent = Command(
            sent.v_mps + min(max(target[0] - sent.v_mps, -0.1), 0.1),
            sent.w_rps + min(max(target[1] - sent.w_rps, -0.25), 0.25),
        )
        waiting.append(sent)
        v, w = v + share * (waiting[0].v_mps - v), w + share * (waiting[0].w_rps - w)
        x, y, yaw = x + v * math.cos(yaw) * 0.05, y + v * math.sin(yaw) * 0.05, yaw + w * 0.05
        found.note(sent, RobotState(x, y, yaw, v, w))
    return found, RobotState(x, y, yaw, v, w), waiting


@pytest.mark.parametrize(("delay", "lag_s"), [(0, 0.0), (2, 0.1), (4, 0.3), (0, 0.2), (3, 0.0)])
def test_dead_time_and_lag_are_found(delay: int, lag_s: float) -> None:
    found, _, _ = driven(delay, lag_s)
    assert found.response == Response(round(0.05 * delay, 2), lag_s)


def test_what_was_sent_and_not_yet_done_is_looked_ahead() -> None:
    found, state, waiting = driven(2, 0.0)
    ahead = found.ahead(state)
    expected = state.x
    yaw = state.yaw
    for command in list(waiting)[1:]:
        expected += command.v_mps * math.cos(yaw) * 0.05
        yaw += command.w_rps * 0.05
    assert ahead.x == pytest.approx(expected, abs=0.01) and ahead.yaw == pytest.approx(yaw, abs=0.02)
    assert ahead.v_mps == pytest.approx(waiting[-1].v_mps)


def test_commands_that_are_not_finite_count_as_stops() -> None:
    found = Actuation(0.05, RATES)
    for _ in range(10):
        found.note(Command(math.nan, math.inf), RobotState(0.0, 0.0, 0.0))
    ahead = found.ahead(RobotState(0.0, 0.0, 0.0))
    assert ahead.finite and ahead.v_mps == 0.0
