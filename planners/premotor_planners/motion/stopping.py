"""Where a robot passes while it reacts and then brakes to a stop along the arc of its command."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from premotor_planners.motion.state import Command, RobotState


@dataclass(frozen=True)
class Braking:
    """Guaranteed decelerations."""

    accel_mps2: float
    turn_accel_rps2: float


def stopping_arcs(
    command: Command, state: RobotState, braking: Braking, latency_s: float
) -> tuple[tuple[float, float], ...]:
    """Arcs, each as signed length (m) and turned angle (rad), driven until standstill.

    One at the commanded speeds; and, where the base still moves faster the same way, one at the stronger of commanded
    and measured. Speeds are held for `latency_s`, then braked to end together: length = v * (latency + t / 2) with
    t = max(v / a, w / a_w), and the angle likewise.
    """
    asked = (command.v_mps, command.w_rps)
    stronger = (_stronger(command.v_mps, state.v_mps), _stronger(command.w_rps, state.w_rps))
    return tuple(_arc(v, w, braking, latency_s) for v, w in dict.fromkeys((asked, stronger)))


def arc_poses(length_m: float, angle: float, spacing_m: float, reach_m: float) -> tuple[NDArray[np.float64], float]:
    """Poses (n, 3) along an arc from the origin, and how far at most an outline of `reach_m` moves between two.

    That bound, |length| + reach * |angle| divided by the number of intervals, is at most `spacing_m`.
    """
    travel = abs(length_m) + reach_m * abs(angle)
    intervals = max(1, math.ceil(travel / spacing_m))
    share = np.linspace(0.0, 1.0, intervals + 1)
    s, yaw = share * length_m, share * angle
    # chord of an arc: length * sinc(half the angle), in the direction of half the angle
    chord = s * np.sinc(yaw / (2 * math.pi))
    return np.stack([chord * np.cos(yaw / 2), chord * np.sin(yaw / 2), yaw], axis=1), travel / intervals


def _arc(v: float, w: float, braking: Braking, latency_s: float) -> tuple[float, float]:
    held_s = latency_s + max(abs(v) / braking.accel_mps2, abs(w) / braking.turn_accel_rps2) / 2
    return v * held_s, w * held_s


def _stronger(commanded: float, measured: float) -> float:
    if commanded == 0.0 or commanded * measured <= 0.0:
        return commanded
    return math.copysign(max(abs(commanded), abs(measured)), commanded)
