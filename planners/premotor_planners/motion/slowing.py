"""By how much a command is slowed along its arc so that what it sweeps is clear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from premotor_planners.motion.footprint import Footprint
from premotor_planners.motion.scan_points import Points
from premotor_planners.motion.state import Command
from premotor_planners.motion.stopping import (
    Braking,
    End,
    Held,
    Poses,
    Sweep,
    arc_poses,
    onward,
    scale_for,
    stopping_arc,
    transition,
)
from premotor_planners.motion.sweeping import clear_poses

SLOWER = (1.0, 0.6, 0.3)
"""What is tried, one after the other, as shares of what the stopping arc leaves."""
SLOWEST = 0.05
"""Below this share of the command the robot had better stand."""


@dataclass(frozen=True)
class Base:
    """Outline, brakes, the longest time until the next command, what stays free, and how finely it is looked at."""

    footprint: Footprint
    braking: Braking
    period_s: float
    margin_m: float
    spacing_m: float


@dataclass(frozen=True)
class Asked:
    """A command, the speeds now, and what acts before the command does.

    Speeds are held for `latency_s` from now on before the base brakes, `held_s` of it at the command's.
    """

    command: Command
    measured: Command
    led: tuple[Held, ...]
    latency_s: float
    held_s: float


def scaled(command: Command, scale: float) -> Command:
    """Slower along the same arc."""
    return command if scale == 1.0 else Command(command.v_mps * scale, command.w_rps * scale)


def clear_scale_by_definition(base: Base, asked: Asked, points: Points) -> float:
    """`clear_scale`, whatever the outline, from the parts in `stopping` and `sweeping`."""
    return _Slowing(base, asked, points).scale()


class _Slowing:
    def __init__(self, base: Base, asked: Asked, points: Points) -> None:
        self._base, self._asked, self._points = base, asked, points
        self._before = self._way(asked.measured, asked.led, "moving")

    def scale(self) -> float:
        fits = self._fitting(self._asked.command)
        for slower in SLOWER:
            scale = fits * slower
            if scale < SLOWEST:
                return 0.0
            command = scaled(self._asked.command, scale)
            if self._ends_well(command) and (scale == 1.0 or self._fitting(command) == 1.0):
                return scale
        return 0.0

    def _ends_well(self, command: Command) -> bool:
        """Whether the way to the command is clear, braked along its arc, and where a stop follows after a period."""
        ends: tuple[tuple[float, End], ...] = (
            (self._asked.held_s, "along the arc"),
            (self._base.period_s, "each speed alone"),
        )
        after = (self._way(self._before.speeds, (Held(command, seconds),), end) for seconds, end in ends)
        return all(self._is_clear(self._before.then(way)) for way in after)

    def _way(self, measured: Command, held: Sequence[Held], end: End) -> Sweep:
        base = self._base
        return transition(measured, held, base.braking, base.spacing_m, base.footprint.reach_m, end)

    def _fitting(self, command: Command) -> float:
        """By what the command must be scaled for its stopping arc to be clear: begun now, and begun when it shows."""
        now = self._arc_scale(command, self._asked.latency_s, self._before.poses[0])
        return min(now, self._arc_scale(command, self._asked.held_s, self._before.poses[-1]))

    def _arc_scale(self, command: Command, held_s: float, start: Poses) -> float:
        base = self._base
        arc = stopping_arc(command, base.braking, held_s)
        poses, spacing_m = arc_poses(*arc, base.spacing_m, base.footprint.reach_m)
        clear = self._clear(Sweep(onward(poses, start), spacing_m))
        return scale_for(max(0, clear - 1) / (len(poses) - 1), command, base.braking, held_s)

    def _is_clear(self, sweep: Sweep) -> bool:
        return self._clear(sweep) == len(sweep.poses)

    def _clear(self, sweep: Sweep) -> int:
        return clear_poses(sweep, self._points, self._base.footprint, self._base.margin_m)
