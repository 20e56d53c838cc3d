"""Local control without a map: MPPI in a rolling window of evidence, guided by the window's cost-to-go.

Within the loop a failure is a value, as in `motion.controller`; what differs is that the goal is all that is given, and
that the base's dead time and lag are found and predicted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.tensor import Compiled, Field
from premotor_planners.motion.controller import ControlDecision, Status
from premotor_planners.motion.noise import Noise
from premotor_planners.motion.path import descend
from premotor_planners.motion.progress import Progress
from premotor_planners.motion.scan_points import Points
from premotor_planners.motion.state import STOP, Command, Goal, LaserScan, RobotState, wrapped
from premotor_planners.motion.turning import braking_sequence, ramped_sequence, shifted, turning_sequence
from premotor_planners.motion.window.actuation import Actuation
from premotor_planners.motion.window.escape import Escape
from premotor_planners.motion.window.surroundings import Seen, Surroundings

_STILL_V_MPS, _STILL_W_RPS = 0.03, 0.08


@dataclass(frozen=True)
class WindowControlParameters:
    """When to turn in place and when to call it blocked; `turn_clearance_m` is what turning on the spot needs.

    `turn_again_after` and `turn_for` are in periods: after a turn the robot is given time to drive before it thinks of
    another one, and a turn that takes longer is given up, since what it turns to may turn away from it.
    """

    turn_from_rad: float = 0.8
    turn_tight_rad: float = 0.3
    turn_to_rad: float = 0.2
    turn_below_mps: float = 0.25
    turned_below_rps: float = 0.5
    turn_again_after: int = 24
    turn_for: int = 50
    turn_clearance_m: float = 0.345
    look_ahead_m: float = 0.5
    blocked_after_s: float = 1.5


class WindowController:
    """Drives to one goal at a time, in the frame of the states given. Not for several threads.

    `run` is `kernel` compiled by a device, `surroundings` has its size. Equal seeds and inputs give equal decisions.
    """

    def __init__(
        self,
        kernel: Mppi,
        run: Compiled,
        surroundings: Surroundings,
        seed: int = 0,
        parameters: WindowControlParameters | None = None,
    ) -> None:
        if kernel.motion.name != "differential":
            raise ValueError(f"the kernel's motion is {kernel.motion.name}; this controller needs differential")
        if (kernel.rows, kernel.cols) != surroundings.shape or kernel.resolution_m != surroundings.resolution_m:
            raise ValueError(
                f"the kernel looks at {kernel.rows} x {kernel.cols} cells of {kernel.resolution_m} m, the window has "
                f"{surroundings.shape} of {surroundings.resolution_m} m; make them equal"
            )
        self.kernel, self._run, self._surroundings = kernel, run, surroundings
        self._parameters = parameters or WindowControlParameters()
        self._noise = Noise(kernel, seed)
        self._outputs = {tensor.name: tensor.zeros() for tensor in kernel.outputs}
        self._progress = Progress(self._parameters.blocked_after_s)
        rates = (kernel.motion.channels[0].rate, kernel.motion.channels[1].rate)
        self.actuation = Actuation(kernel.dt_s, rates)
        self._escape = Escape(kernel.body_m)
        self._sequence = np.zeros((kernel.steps, 2), np.float32)
        self._goal: Goal | None = None
        self._turn_to: float | None = None
        self._wait = self._turned = 0
        self._stuck = False

    def restart(self) -> None:
        """Forget what has been seen, what the base is like, and the goal; equal inputs then give equal decisions."""
        self._surroundings.forget()
        self.actuation.restart()
        self.stop()

    def follow(self, goal: Goal) -> None:
        """Take up a goal; keeps what has been seen and learnt of the base, and restarts the noise."""
        self._goal, self._turn_to, self._stuck = goal, None, False
        self._wait = self._turned = 0
        self._noise.restart()
        self._progress.restart()
        self._escape.restart()
        self._sequence = np.zeros_like(self._sequence)

    def stop(self) -> None:
        """Drop the goal: decisions brake from now on, with status `idle`."""
        self._goal = None

    def remembered(self, state: RobotState, scan: LaserScan) -> Points | None:
        """What is known of obstacles where the scan has no beams, for the gate: see `Surroundings.remembered`."""
        return self._surroundings.remembered(state, scan)

    def shifted(self) -> Field:
        """The last sequence one period later, for a period that missed its deadline; also becomes the warm start."""
        self._sequence = shifted(self._sequence)
        return np.array(self._sequence)

    def command(self, state: RobotState, scan: LaserScan | None, sent: Command | None = None) -> ControlDecision:
        """Decide for the coming period; `sent` was in force during the last one. Never raises."""
        try:
            if not state.finite:
                return self._braking(replace(state, v_mps=0.0, w_rps=0.0), "failed", "the state is not finite")
            self.actuation.note(sent or STOP, state)
            self._escape.note(Command(*self._sequence[0].tolist()), sent or STOP)
            return self._decide(state, scan)
        except Exception as error:  # a raise here would leave the base on its last command
            return self._braking(state, "failed", f"{type(error).__name__}: {error}")

    def _decide(self, state: RobotState, scan: LaserScan | None) -> ControlDecision:
        goal, ahead = self._goal, self.actuation.ahead(state)
        if scan is not None:
            self._surroundings.take(scan, state)
        if goal is None:
            return self._braking(ahead, "idle", "")
        if self._stands_at(goal, ahead):
            return self._settle(goal, ahead, state)
        seen = self._surroundings.seen(ahead, goal, self._stuck)
        if (arc := self._escape.arc(ahead, seen)) is not None:
            self._turn_to, self._turned = None, 0
            return self._keep(ramped_sequence(self.kernel, ahead.v_mps, ahead.w_rps, arc), "blocked", "backing out")
        if (heading := self._turning_to(ahead, seen, goal)) is not None:
            error = wrapped(heading - ahead.yaw)
            return self._keep(turning_sequence(self.kernel, ahead.v_mps, ahead.w_rps, error), "turning")
        return self._drive(ahead, seen, state)

    def _stands_at(self, goal: Goal, ahead: RobotState) -> bool:
        brake_m = ahead.v_mps * abs(ahead.v_mps) / (2 * self.kernel.motion.channels[0].rate)
        end = (ahead.x + brake_m * math.cos(ahead.yaw), ahead.y + brake_m * math.sin(ahead.yaw))
        return math.dist(end, (goal.x, goal.y)) <= goal.tolerance_m

    def _settle(self, goal: Goal, ahead: RobotState, state: RobotState) -> ControlDecision:
        error = 0.0 if goal.yaw is None else wrapped(goal.yaw - ahead.yaw)
        still = abs(state.v_mps) < _STILL_V_MPS and abs(state.w_rps) < _STILL_W_RPS
        if still and abs(error) <= 0.5 * goal.yaw_tolerance:
            return self._braking(ahead, "arrived", "")
        return self._keep(turning_sequence(self.kernel, ahead.v_mps, ahead.w_rps, error), "settling")

    def _turning_to(self, ahead: RobotState, seen: Seen, goal: Goal) -> float | None:
        """The heading to turn to in place, kept until it is reached: when slow, far off the way, and with room."""
        p, slow = self._parameters, ahead.v_mps < self._parameters.turn_below_mps
        if self._turn_to is not None:
            self._turn_to = self._turn_to if seen.turn_to_rad is None else seen.turn_to_rad
            done = abs(wrapped(self._turn_to - ahead.yaw)) <= p.turn_to_rad and abs(ahead.w_rps) < p.turned_below_rps
            self._turned += 1
            if done or self._turned >= p.turn_for:
                self._turn_to, self._wait, self._turned = None, p.turn_again_after, 0
        elif self._wait > 0:
            self._wait -= 1
        elif seen.turn_to_rad is not None and slow and abs(wrapped(seen.turn_to_rad - ahead.yaw)) > p.turn_tight_rad:
            self._turn_to = seen.turn_to_rad
        elif seen.turn_to_rad is None and slow and seen.clearance_at(ahead.x, ahead.y) >= p.turn_clearance_m:
            bearing = self._bearing(ahead, seen, goal)
            self._turn_to = bearing if abs(wrapped(bearing - ahead.yaw)) > p.turn_from_rad else None
        return self._turn_to

    def _bearing(self, ahead: RobotState, seen: Seen, goal: Goal) -> float:
        """Of the way down the guide, a little ahead."""
        cell = seen.guide_cell(ahead.x, ahead.y)
        if cell is None:
            return ahead.yaw
        steps = round(self._parameters.look_ahead_m / seen.guide_resolution_m)
        cells = descend(seen.guide, cell, steps)
        x, y = seen.guide_centre(cells[-1])
        if len(cells) <= steps:
            x, y = goal.x, goal.y
        return math.atan2(y - ahead.y, x - ahead.x)

    def _drive(self, ahead: RobotState, seen: Seen, state: RobotState) -> ControlDecision:
        nominal = shifted(self._sequence)
        x, y = seen.in_window(ahead.x, ahead.y)
        start = np.array([x, y, wrapped(ahead.yaw), ahead.v_mps, ahead.w_rps], np.float32)
        inputs = {"state": start, "nominal": nominal, "noise": self._noise.draw(nominal), "fields": seen.fields}
        self._run.run(inputs, self._outputs)
        sequence = self._outputs["sequence"].copy()
        best, free = float(self._outputs["best_cost"][0]), float(self._outputs["free_share"][0])
        if not np.isfinite(sequence).all():
            return self._braking(ahead, "failed", "the kernel returned numbers that are not finite")
        if free == 0.0:
            return self._keep(sequence, "blocked", "every rollout meets an obstacle", best, free)
        if self._progress.stalled(seen.to_go_m(state.x, state.y), state.stamp_s):
            self._stuck = True
            return self._keep(sequence, "blocked", "no progress towards the goal", best, free)
        self._stuck = False
        return self._keep(sequence, "driving", "", best, free)

    def _braking(self, state: RobotState, status: Status, reason: str) -> ControlDecision:
        return self._keep(braking_sequence(self.kernel, state.v_mps, state.w_rps), status, reason)

    def _keep(
        self, sequence: Field, status: Status, reason: str = "", best_cost: float = 0.0, free_share: float = 1.0
    ) -> ControlDecision:
        self._sequence = sequence
        v, w = float(sequence[0, 0]), float(sequence[0, 1])
        return ControlDecision(v, w, sequence, status, reason, best_cost, free_share)
