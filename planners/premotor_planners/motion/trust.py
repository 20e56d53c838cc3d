"""What the safety gate must not rely on: no numbers, stamps old or ahead, scans that say nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from premotor_planners.motion.scan_points import Points, says_nothing
from premotor_planners.motion.state import STOP, Command, LaserScan, RobotState
from premotor_planners.motion.stopping import Held

_ABSURD = 3.0
"""Measured speeds this many times above the limits are a broken sensor, not a speed."""
_LONGEST_S = 2.0
_MOST_ANGLE = 20.0
_FARTHEST = 1e6
"""Beyond it, positions are too coarse to tell points apart from the outline."""
_JUMP_M = 0.3
"""How far a pose correction may move the robot between a scan and now."""


@dataclass(frozen=True)
class Cycle:
    """When the control cycle began that decided on the command, and when the last cancel was accepted, if ever."""

    decided_s: float
    cancelled_s: float | None = None

    def late(self) -> bool:
        """Whether the command may stem from before the cancel; so it is where a time is not a number."""
        return self.cancelled_s is not None and not self.decided_s > self.cancelled_s


@dataclass(frozen=True)
class Trust:
    """How old or empty what the gate is given may be; see `SafetyGate`."""

    max_mps: float
    max_turn_rps: float
    scan_timeout_s: float
    state_timeout_s: float
    future_s: float
    max_blind: float
    max_blind_sector: float

    def fault(
        self, command: Command, scan: LaserScan | None, state: RobotState, now_s: float, cycle: Cycle | None
    ) -> str:
        """Why nothing may move, empty where nothing is wrong."""
        return (
            self._numbers(command, state, now_s)
            or _late(command, cycle)
            or ("no scan" if scan is None else self._scan(scan, state, now_s))
        )

    def extra_fault(self, pending: Sequence[Held], remembered: Points | None) -> str:
        """Why commands under way or remembered obstacles cannot be, empty where they can."""
        for held in pending:
            if not (held.command.finite and 0 <= held.seconds <= _LONGEST_S and self._possible(held.command)):
                return f"the pending {held} is not finite, too fast for the base, or longer than {_LONGEST_S:g} s"
        if remembered is None or not len(remembered):
            return ""
        points = np.ndim(remembered) == 2 and np.shape(remembered)[1] == 2 and np.isfinite(remembered).all()
        return "" if points else "a remembered obstacle is not a finite point"

    def _possible(self, speeds: Command) -> bool:
        return abs(speeds.v_mps) <= _ABSURD * self.max_mps and abs(speeds.w_rps) <= _ABSURD * self.max_turn_rps

    def _numbers(self, command: Command, state: RobotState, now_s: float) -> str:
        if not command.finite:
            return f"the command ({command.v_mps}, {command.w_rps}) is not finite"
        if not (state.finite and math.isfinite(now_s)):
            return "the state or the time is not finite"
        if max(abs(state.x), abs(state.y), abs(state.yaw)) > _FARTHEST:
            return f"the pose {state.pose} is farther than {_FARTHEST:g} m away"
        if not self._possible(Command(state.v_mps, state.w_rps)):
            return f"measured speeds ({state.v_mps:.2f} m/s, {state.w_rps:.2f} rad/s) are beyond what the base can do"
        return ""

    def _scan(self, scan: LaserScan, state: RobotState, now_s: float) -> str:
        return (
            _geometry(scan)
            or self._stamp("scan", scan.stamp_s, now_s, self.scan_timeout_s)
            or self._stamp("state", state.stamp_s, now_s, self.state_timeout_s)
            or self._jump(scan, state, now_s)
            or self._blind(scan)
        )

    def _stamp(self, what: str, stamp_s: float, now_s: float, limit_s: float) -> str:
        if not now_s - stamp_s >= -self.future_s:
            return f"the {what} is from the future: the clock jumped back, or its stamp is wrong"
        if not now_s - stamp_s <= limit_s:
            return f"the {what} is {now_s - stamp_s:.2f} s old; at most {limit_s:g} s is allowed"
        return ""

    def _jump(self, scan: LaserScan, state: RobotState, now_s: float) -> str:
        if scan.taken_at is None:
            return ""
        moved_m = math.dist(scan.taken_at[:2], (state.x, state.y))
        if moved_m > _JUMP_M + _ABSURD * self.max_mps * max(0.0, now_s - scan.stamp_s):
            return f"the pose moved {moved_m:.2f} m since the scan; the base cannot, so scan and pose do not match"
        return ""

    def _blind(self, scan: LaserScan) -> str:
        blind = says_nothing(scan)
        if (share := blind_share(blind)) > self.max_blind:
            return f"{share:.0%} of the scan's beams say nothing; at most {self.max_blind:.0%} may"
        if (sector := blind_sector(blind, abs(scan.angle_increment))) > self.max_blind_sector:
            return f"the scan says nothing over {sector:.2f} rad; at most {self.max_blind_sector:g} rad may be blind"
        return ""


def blind_share(blind: NDArray[np.bool_]) -> float:
    """The share of beams that say nothing; 1 for a scan without beams."""
    return int(np.count_nonzero(blind)) / len(blind) if len(blind) else 1.0


def blind_sector(blind: NDArray[np.bool_], step: float) -> float:
    """The angle (rad) of the widest run of neighbouring beams that say nothing, `step` from one to the next.

    A full circle's ends are neighbours.
    """
    if not blind.any():
        return 0.0
    if blind.all():
        return len(blind) * step
    if (len(blind) + 0.5) * step >= 2 * math.pi:
        blind = np.roll(blind, -int(np.argmin(blind)))
    edges = np.diff(np.concatenate([[False], blind, [False]]).astype(np.int8))
    return float((np.nonzero(edges == -1)[0] - np.nonzero(edges == 1)[0]).max()) * step


def _late(command: Command, cycle: Cycle | None) -> str:
    if cycle is not None and command != STOP and cycle.late():
        return f"the control cycle of {cycle.decided_s} s began before the cancel of {cycle.cancelled_s} s"
    return ""


def _geometry(scan: LaserScan) -> str:
    if scan.taken_at is not None and not all(map(math.isfinite, scan.taken_at)):
        return "the scan's pose is not finite"
    if not (math.isfinite(scan.angle_min) and math.isfinite(scan.angle_increment)):
        return "the scan's angles are not finite"
    if max(abs(scan.angle_min), abs(scan.angle_increment)) > _MOST_ANGLE:
        return f"the scan's angles {scan.angle_min}, {scan.angle_increment} are no radians of a turn or two"
    if not 0.0 <= scan.range_min_m < scan.range_max_m:
        return f"the scan's range limits [{scan.range_min_m}, {scan.range_max_m}] are not a range"
    if np.ndim(scan.ranges_m) != 1:
        return f"the scan has {np.ndim(scan.ranges_m)}-dimensional ranges"
    if scan.angle_increment == 0.0 and len(scan.ranges_m) > 1:
        return "the scan's angle_increment is 0: its beams all look the same way"
    return ""
