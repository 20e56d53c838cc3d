"""Driving along a planned way as it is, as a sequence of speeds: pure pursuit, rolled out.

Random rollouts seldom keep to a way that leaves a few centimetres on each side. Given beside them, this one is judged
by the same costs, and wins where nothing else gets through.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from itertools import accumulate, pairwise

import numpy as np

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.tensor import Field
from premotor_planners.maps.supercover import Point
from premotor_planners.motion.state import RobotState, wrapped
from premotor_planners.motion.turning import toward

_AHEAD_S, _LEAST_AHEAD_M = 0.6, 0.15
"""Pure pursuit looks as far ahead as it drives in this time, and at least so far."""
_SIDEWAYS = math.pi / 3
"""From this bearing on of the point ahead it does not drive on, but turns."""


class Tracker:
    """Follows `points` (frame map, at least two) in one sense: 1 forward, -1 backward. Keeps its place on them."""

    def __init__(self, kernel: Mppi, points: tuple[Point, ...], sense: int) -> None:
        self._kernel, self._points, self._sense = kernel, points, sense
        self._along_m = [0.0, *accumulate(math.dist(a, b) for a, b in pairwise(points))]
        self._at = 0

    def sequence(self, state: RobotState, cruise_mps: float) -> Field:
        """Speeds from those of `state` on, shape (steps, 2), at `cruise_mps` (above 0) at most, stopping at the end.

        Coulter 1992: the arc through the point ahead has the curvature 2 sin(bearing) / distance.
        """
        (forward, turn), dt, steps = self._kernel.motion.channels, self._kernel.dt_s, self._kernel.steps
        x, y, yaw, v, w = state.x, state.y, state.yaw, state.v_mps, state.w_rps
        at = self._at = self._nearest(self._at, x, y)
        most = min(cruise_mps, forward.high if self._sense > 0 else -forward.low)
        sequence = np.empty((steps, 2), np.float32)
        for step in range(steps):
            at = self._nearest(at, x, y)
            bearing, ahead_m = self._ahead(at, x, y, yaw, abs(v))
            left_m = self._along_m[-1] - self._along_m[at]
            fast = 0.0 if abs(bearing) > _SIDEWAYS else min(most, math.sqrt(forward.rate * left_m))
            curvature = 2.0 * math.sin(bearing) / max(ahead_m, 1e-3)
            wanted = fast * curvature if fast > 0.0 else math.copysign(turn.high / 2, bearing)
            wanted = min(max(wanted, turn.low), turn.high)
            v, w = toward(v, self._sense * fast, forward.rate * dt), toward(w, wanted, turn.rate * dt)
            sequence[step] = v, w
            x, y = x + v * dt * math.cos(yaw + w * dt / 2), y + v * dt * math.sin(yaw + w * dt / 2)
            yaw += w * dt
        return sequence

    def _nearest(self, at: int, x: float, y: float) -> int:
        """Onward from `at` as long as it gets nearer."""
        points = self._points
        gap = math.dist(points[at], (x, y))
        while at + 1 < len(points) and (next_m := math.dist(points[at + 1], (x, y))) <= gap:
            at, gap = at + 1, next_m
        return at

    def _ahead(self, at: int, x: float, y: float, yaw: float, v: float) -> tuple[float, float]:
        """Bearing of the point ahead from the robot's direction of travel, and its distance."""
        along_m = self._along_m[at] + max(_LEAST_AHEAD_M, _AHEAD_S * v)
        px, py = self._points[min(bisect_left(self._along_m, along_m), len(self._points) - 1)]
        heading = yaw if self._sense > 0 else yaw + math.pi
        return wrapped(math.atan2(py - y, px - x) - heading), math.hypot(px - x, py - y)
