"""The safety gate: the last word before every command.

Pure: the verdict depends on what is given, and on nothing remembered; no planner, controller or language model has a
part in it. A command passes if the outline stays clear of every scan point for as long as reacting and braking take,
along the commanded arc, along the way from the measured speeds to it, and along the way of a base that is told to stop
one period later; else a slower one along the same arc; else the robot stops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from premotor_planners.motion.footprint import Footprint
from premotor_planners.motion.scan_points import Points, moved, points_in_base, seen_from, seen_pose
from premotor_planners.motion.slowing import Asked, Base, scaled
from premotor_planners.motion.slowing_native import clear_scale, native_slowing
from premotor_planners.motion.state import STOP, Command, LaserScan, RobotState
from premotor_planners.motion.stopping import Braking, Held
from premotor_planners.motion.trust import Cycle, Trust

Verdict = Literal["passed", "slowed", "stopped"]


@dataclass(frozen=True)
class GateDecision:
    """The command to send, whether it is the one asked for, and why not (empty when passed)."""

    command: Command
    verdict: Verdict
    reason: str


@dataclass(frozen=True)
class SafetyGate:
    """Outline, brakes, and how old or empty a scan may be.

    `reaction_s` covers the period until the next command and the delay until the base brakes; the age of scan or state
    is added to it. `delay_s`, a part of it, is how long the base goes on as it moves before a command shows.
    `period_s` is the longest time until the next command. A base that follows commands late has its time constant in
    `braking`, and what is on its way to it in `pending` of each check.
    `max_blind` is the largest share of beams that may say nothing, `max_blind_sector` the widest angle (rad) that may.
    """

    footprint: Footprint
    braking: Braking
    max_forward_mps: float
    max_reverse_mps: float
    max_turn_rps: float
    reaction_s: float = 0.08
    scan_timeout_s: float = 0.3
    state_timeout_s: float = 0.3
    future_s: float = 0.02
    margin_m: float = 0.02
    spacing_m: float = 0.02
    max_blind: float = 0.3
    delay_s: float = 0.03
    max_blind_sector: float = 0.6
    period_s: float = 0.05

    def __post_init__(self) -> None:
        native_slowing()  # what has to be compiled is compiled now, and not within a control period

    def check(
        self,
        command: Command,
        scan: LaserScan | None,
        state: RobotState,
        now_s: float,
        pending: Sequence[Held] = (),
        remembered: Points | None = None,
        cycle: Cycle | None = None,
    ) -> GateDecision:
        """The command that may be sent now. Never raises for bad data: it stops.

        `pending` are commands that the base has not yet obeyed, oldest first; they are swept before the new one, in
        place of `delay_s`; `reaction_s` must cover them too. `remembered` (n, 2) are obstacles in the frame of `state`
        that the scan does not see, such as behind a lidar of less than a full circle. `cycle` refuses what was decided
        before a cancel.
        """
        try:
            return self._decided(command, scan, state, now_s, pending, remembered, cycle)
        except Exception as error:  # a raise here would leave the base on its last command
            return GateDecision(STOP, "stopped", f"{type(error).__name__}: {error}")

    def _decided(
        self,
        command: Command,
        scan: LaserScan | None,
        state: RobotState,
        now_s: float,
        pending: Sequence[Held],
        remembered: Points | None,
        cycle: Cycle | None,
    ) -> GateDecision:
        fault = self._trust.fault(command, scan, state, now_s, cycle) or self._trust.extra_fault(pending, remembered)
        if fault or scan is None:
            return GateDecision(STOP, "stopped", fault)
        wanted = self._limited(command)
        if wanted == STOP:
            return GateDecision(STOP, "passed", "")
        latency_s = self.reaction_s + self.braking.lag_s + max(0.0, now_s - scan.stamp_s, now_s - state.stamp_s)
        sent = self._clear_command(wanted, state, self._points(scan, state, remembered), latency_s, pending)
        if sent == command:
            return GateDecision(sent, "passed", "")
        if sent == STOP:
            return GateDecision(STOP, "stopped", "obstacle within stopping distance")
        return GateDecision(sent, "slowed", "above the speed limit" if sent == wanted else "obstacle near")

    def clearance_m(self, scan: LaserScan, state: RobotState) -> float:
        """Metres between outline and nearest scan point now; inf without points."""
        points = self._points(scan, state, None)
        return float(self.footprint.distance(points).min()) if len(points) else float("inf")

    @property
    def _trust(self) -> Trust:
        fastest = max(self.max_forward_mps, self.max_reverse_mps)
        times = self.scan_timeout_s, self.state_timeout_s, self.future_s
        return Trust(fastest, self.max_turn_rps, *times, self.max_blind, self.max_blind_sector)

    def _limited(self, command: Command) -> Command:
        """Scaled down along the same arc to the speed limits."""
        v_most = self.max_forward_mps if command.v_mps >= 0 else self.max_reverse_mps
        over = max(abs(command.v_mps) / v_most if v_most > 0 else (np.inf if command.v_mps else 0.0), 1.0)
        over = max(over, abs(command.w_rps) / self.max_turn_rps)
        return command if over <= 1.0 + 1e-6 else Command(command.v_mps / over, command.w_rps / over)

    def _points(self, scan: LaserScan, state: RobotState, remembered: Points | None) -> Points:
        points = points_in_base(scan, too_near=True)
        if scan.taken_at is not None:
            points = moved(points, seen_pose(scan.taken_at, state.pose))
        if remembered is None or not len(remembered):
            return points
        return np.concatenate([points, seen_from(remembered, state.pose)])

    def _clear_command(
        self, wanted: Command, state: RobotState, points: Points, latency_s: float, pending: Sequence[Held]
    ) -> Command:
        """`wanted`, or the fastest slower one that is tried along its arc and is clear; STOP without one."""
        measured = Command(state.v_mps, state.w_rps)
        led = tuple(pending) or (Held(measured, self.delay_s),)
        led_s = sum(held.seconds for held in led)
        # where what is on its way lasts longer than the whole reaction, that cannot contain it: the longer one counts
        held_s = latency_s - led_s if led_s < self.reaction_s else latency_s
        base = Base(self.footprint, self.braking, self.period_s, self.margin_m, self.spacing_m)
        scale = clear_scale(base, Asked(wanted, measured, led, latency_s, held_s), points)
        return scaled(wanted, scale) if scale > 0.0 else STOP
