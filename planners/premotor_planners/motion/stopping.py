"""Where a robot passes while it reacts and then brakes to a stop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from premotor_planners.motion.state import Command

Poses = NDArray[np.float64]
"""Shape (n, 3): x, y, yaw in the base frame of now; the first is the origin."""
_Speeds = NDArray[np.float64]
_STANDS_S = 1e-9
"""What brakes within this time stands."""


@dataclass(frozen=True)
class Braking:
    """Guaranteed decelerations; for want of other numbers also how fast speeds are taken to follow commands."""

    accel_mps2: float
    turn_accel_rps2: float


@dataclass(frozen=True)
class Held:
    """A command on its way to the base, which will hold for so many seconds before the next one acts."""

    command: Command
    seconds: float


@dataclass(frozen=True)
class Sweep:
    """Poses, and how far at most any point of the outline moves from one to the next (metres)."""

    poses: Poses
    spacing_m: float


def stopping_arc(command: Command, braking: Braking, latency_s: float) -> tuple[float, float]:
    """The signed length (m) and the turned angle (rad) that a base at the commanded speeds needs until it stands.

    Speeds are held for `latency_s`, then braked to end together: length = v (latency + t / 2) with
    t = max(v / a, w / a_w), and the angle likewise.
    """
    v, w = command.v_mps, command.w_rps
    held_s = latency_s + _brake_s(v, w, braking) / 2
    return v * held_s, w * held_s


def scale_for(share: float, command: Command, braking: Braking, latency_s: float) -> float:
    """By what a command must be multiplied for its stopping arc to be `share` of what it is (0 to 1)."""
    if share >= 1.0:
        return 1.0
    half_s = _brake_s(command.v_mps, command.w_rps, braking) / 2
    wanted = max(share, 0.0) * (latency_s + half_s)
    if half_s < 1e-9:
        return wanted / latency_s if latency_s > 0 else 0.0
    return (math.sqrt(latency_s**2 + 4 * half_s * wanted) - latency_s) / (2 * half_s)


def arc_poses(length_m: float, angle: float, spacing_m: float, reach_m: float) -> tuple[Poses, float]:
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


def transition(
    now: Command, held: Sequence[Held], braking: Braking, spacing_m: float, reach_m: float, stop: bool = True
) -> Sweep:
    """From the speeds `now` through `held`, one after the other, and with `stop` on to standstill.

    Speeds move towards each command at the rates of `braking`; at the end both are braked to end together.
    """
    most_v = max(abs(now.v_mps), *(abs(h.command.v_mps) for h in held))
    most_w = max(abs(now.w_rps), *(abs(h.command.w_rps) for h in held))
    dt = min(0.02, spacing_m / max(most_v + reach_m * most_w, 1e-6))
    v, w = _speeds(now, held, braking, dt, stop)
    yaw = np.concatenate([[0.0], np.cumsum(w * dt)])
    middle = yaw[:-1] + w * dt / 2
    x, y = np.cumsum(v * dt * np.cos(middle)), np.cumsum(v * dt * np.sin(middle))
    poses = np.stack([np.concatenate([[0.0], x]), np.concatenate([[0.0], y]), yaw], axis=1)
    return Sweep(poses, dt * (most_v + reach_m * most_w))


def onward(poses: Poses, start: NDArray[np.float64]) -> Poses:
    """`poses` given in the frame at the pose `start`, in the frame that `start` is given in."""
    cos, sin = math.cos(start[2]), math.sin(start[2])
    x = start[0] + cos * poses[:, 0] - sin * poses[:, 1]
    y = start[1] + sin * poses[:, 0] + cos * poses[:, 1]
    return np.stack([x, y, start[2] + poses[:, 2]], axis=1)


def _speeds(now: Command, held: Sequence[Held], braking: Braking, dt: float, stop: bool) -> tuple[_Speeds, _Speeds]:
    """Mean speeds of each step of `dt`."""
    v_parts, w_parts = [np.array([now.v_mps])], [np.array([now.w_rps])]
    for part in held:
        count = math.ceil(part.seconds / dt - 1e-9)
        steps: _Speeds = np.arange(1, count + 1, dtype=np.float64) * dt
        v_parts.append(_towards(float(v_parts[-1][-1]), part.command.v_mps, braking.accel_mps2 * steps))
        w_parts.append(_towards(float(w_parts[-1][-1]), part.command.w_rps, braking.turn_accel_rps2 * steps))
        v_parts, w_parts = [p for p in v_parts if len(p)], [p for p in w_parts if len(p)]
    v_end, w_end = float(v_parts[-1][-1]), float(w_parts[-1][-1])
    brake_s = _brake_s(v_end, w_end, braking)
    if stop and brake_s > _STANDS_S:
        left = np.maximum(1.0 - np.arange(1, math.ceil(brake_s / dt) + 1) * dt / brake_s, 0.0)
        v_parts.append(v_end * left)
        w_parts.append(w_end * left)
    v, w = np.concatenate(v_parts), np.concatenate(w_parts)
    return (v[1:] + v[:-1]) / 2, (w[1:] + w[:-1]) / 2


def _towards(start: float, target: float, most: _Speeds) -> _Speeds:
    return np.asarray(start + np.clip(target - start, -most, most))


def _brake_s(v: float, w: float, braking: Braking) -> float:
    return max(abs(v) / braking.accel_mps2, abs(w) / braking.turn_accel_rps2)
