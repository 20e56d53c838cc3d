"""The safety gate: the last word before every command.

Pure: the verdict depends on command, newest scan, state and now, and on nothing remembered. A command passes if the
outline, swept along the commanded arc for as long as reacting and braking take, stays clear of every scan point;
else a slower one along the same arc; else the robot stops.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from premotor_planners.motion.footprint import Footprint
from premotor_planners.motion.scan_points import Points, blind_share, moved, points_in_base, seen_from
from premotor_planners.motion.state import STOP, Command, LaserScan, RobotState
from premotor_planners.motion.stopping import Braking, arc_poses, stopping_arcs

Verdict = Literal["passed", "slowed", "stopped"]
_CONTACT_M = 0.002
"""Nearer than this the robot counts as touching; no command passes."""
_ABSURD = 3.0
"""Measured speeds this many times above the limits are a broken sensor, not a speed."""
_JUMP_M = 0.3
"""How far a pose correction may move the robot between a scan and now."""
_SCALES = (1.0, 0.6, 0.3)


@dataclass(frozen=True)
class GateDecision:
    """The command to send, whether it is the one asked for, and why not (empty when passed)."""

    command: Command
    verdict: Verdict
    reason: str


@dataclass(frozen=True)
class SafetyGate:
    """Outline, brakes, and how old or empty a scan may be.

    `reaction_s` covers the period until the next command and the delay until the base obeys; the age of the scan is
    added to it. `max_blind` is the largest share of beams that may say nothing.
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

    def check(self, command: Command, scan: LaserScan | None, state: RobotState, now_s: float) -> GateDecision:
        """The command that may be sent now. Never raises for bad data: it stops."""
        fault = self._fault(command, scan, state, now_s)
        if fault is not None or scan is None:
            return GateDecision(STOP, "stopped", fault or "no scan")
        wanted = self._limited(command)
        if wanted == STOP:
            return GateDecision(STOP, "passed", "")
        points = self._points(scan, state)
        latency = self.reaction_s + max(0.0, now_s - scan.stamp_s)
        for scale in _SCALES:
            slower = Command(wanted.v_mps * scale, wanted.w_rps * scale)
            if self._clear(slower, state, points, latency):
                if slower == command:
                    return GateDecision(slower, "passed", "")
                return GateDecision(slower, "slowed", "above the speed limit" if scale == 1.0 else "obstacle near")
        return GateDecision(STOP, "stopped", "obstacle within stopping distance")

    def clearance_m(self, scan: LaserScan, state: RobotState) -> float:
        """Metres between outline and nearest scan point now; inf without points."""
        points = self._points(scan, state)
        return float(self.footprint.distance(points).min()) if len(points) else float("inf")

    def _fault(self, command: Command, scan: LaserScan | None, state: RobotState, now_s: float) -> str | None:
        if not command.finite:
            return f"the command ({command.v_mps}, {command.w_rps}) is not finite"
        if not (state.finite and np.isfinite(now_s)):
            return "the state or the time is not finite"
        if abs(state.v_mps) > _ABSURD * self.max_forward_mps or abs(state.w_rps) > _ABSURD * self.max_turn_rps:
            return f"measured speeds ({state.v_mps:.2f} m/s, {state.w_rps:.2f} rad/s) are beyond what the base can do"
        if scan is None:
            return "no scan"
        if (fault := _geometry_fault(scan)) is not None:
            return fault
        for what, stamp, limit in (
            ("scan", scan.stamp_s, self.scan_timeout_s),
            ("state", state.stamp_s, self.state_timeout_s),
        ):
            if not now_s - stamp >= -self.future_s:
                return f"the {what} is from the future: the clock jumped back, or its stamp is wrong"
            if not now_s - stamp <= limit:
                return f"the {what} is {now_s - stamp:.2f} s old; at most {limit:g} s is allowed"
        if scan.taken_at is not None:
            jump = math.dist(scan.taken_at[:2], (state.x, state.y))
            if jump > _JUMP_M + _ABSURD * self.max_forward_mps * max(0.0, now_s - scan.stamp_s):
                return f"the pose moved {jump:.2f} m since the scan; the base cannot, so scan and pose do not match"
        if blind_share(scan) > self.max_blind:
            return f"{blind_share(scan):.0%} of the scan's beams say nothing; at most {self.max_blind:.0%} may"
        return None

    def _limited(self, command: Command) -> Command:
        """Scaled down along the same arc to the speed limits."""
        v_most = self.max_forward_mps if command.v_mps >= 0 else self.max_reverse_mps
        over = max(abs(command.v_mps) / v_most if v_most > 0 else (np.inf if command.v_mps else 0.0), 1.0)
        over = max(over, abs(command.w_rps) / self.max_turn_rps)
        return command if over <= 1.0 + 1e-6 else Command(command.v_mps / over, command.w_rps / over)

    def _points(self, scan: LaserScan, state: RobotState) -> Points:
        points = points_in_base(scan, too_near=True)
        return points if scan.taken_at is None else seen_from(moved(points, scan.taken_at), state.pose)

    def _clear(self, command: Command, state: RobotState, points: Points, latency_s: float) -> bool:
        arcs = stopping_arcs(command, state, self.braking, latency_s)
        return all(self._arc_is_clear(length, angle, points) for length, angle in arcs)

    def _arc_is_clear(self, length: float, angle: float, points: Points) -> bool:
        """Whether no point comes nearer than the margin, or, if it is nearer already, any nearer than it is."""
        poses, spacing = arc_poses(length, angle, self.spacing_m, self.footprint.reach_m)
        far = abs(length) + self.footprint.reach_m + self.margin_m + spacing
        near = points[np.hypot(points[:, 0], points[:, 1]) < far]
        if not len(near):
            return True
        cos, sin = np.cos(poses[:, 2, None]), np.sin(poses[:, 2, None])
        dx, dy = near[None, :, 0] - poses[:, 0, None], near[None, :, 1] - poses[:, 1, None]
        gaps = self.footprint.distance(np.stack([cos * dx + sin * dy, cos * dy - sin * dx], axis=-1))
        needed = np.minimum(self.margin_m + spacing / 2, gaps[0])
        return bool((gaps[0] > _CONTACT_M).all() and (gaps.min(axis=0) >= needed - 1e-9).all())


def _geometry_fault(scan: LaserScan) -> str | None:
    if scan.taken_at is not None and not all(map(math.isfinite, scan.taken_at)):
        return "the scan's pose is not finite"
    if not (math.isfinite(scan.angle_min) and math.isfinite(scan.angle_increment)):
        return "the scan's angles are not finite"
    if not 0.0 <= scan.range_min_m < scan.range_max_m:
        return f"the scan's range limits [{scan.range_min_m}, {scan.range_max_m}] are not a range"
    if np.ndim(scan.ranges_m) != 1:
        return f"the scan has {np.ndim(scan.ranges_m)}-dimensional ranges"
    return None
