"""From commands to wheel speeds: dead time, lag and the base's own limit on how fast speeds change."""

from __future__ import annotations

import math
from collections import deque

from premotor_planners.motion.state import STOP, Command
from premotor_sim.barn.robot import BarnRobot
from premotor_sim.barn.set_up import SetUp


class Drive:
    """Mutated by `take` and `advance`; a command that is not finite counts as a stop."""

    def __init__(self, robot: BarnRobot, set_up: SetUp) -> None:
        self._robot, self._set_up = robot, set_up
        self._waiting: deque[tuple[float, Command]] = deque()
        self._wanted = STOP
        self.v_mps = self.w_rps = 0.0

    def take(self, command: Command, now_s: float) -> None:
        """A command given now."""
        self._waiting.append((now_s + self._set_up.delay_s, command if command.finite else STOP))

    def advance(self, now_s: float, dt_s: float) -> tuple[float, float]:
        """Speeds from `now_s` on for `dt_s` as left and right wheel speed in rad/s."""
        while self._waiting and self._waiting[0][0] <= now_s + 1e-9:
            self._wanted = self._waiting.popleft()[1]
        robot, lag = self._robot, self._set_up.lag_s
        share = 1.0 - math.exp(-dt_s / lag) if lag > 0 else 1.0
        v = min(max(self._wanted.v_mps, -robot.max_reverse_mps), robot.max_forward_mps)
        w = min(max(self._wanted.w_rps, -robot.max_turn_rps), robot.max_turn_rps)
        self.v_mps = _towards(self.v_mps, v, share, robot.max_accel_mps2 * dt_s)
        self.w_rps = _towards(self.w_rps, w, share, robot.max_turn_accel_rps2 * dt_s)
        half = self.w_rps * robot.wheel_separation_m / 2
        return (self.v_mps - half) / robot.wheel_radius_m, (self.v_mps + half) / robot.wheel_radius_m


def _towards(value: float, target: float, share: float, most: float) -> float:
    return value + min(max(share * (target - value), -most), most)
