"""Where a robot passes while it reacts and then brakes to a stop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from premotor_planners.motion.state import STOP, Command

Poses = NDArray[np.float64]
"""Shape (n, 3): x, y, yaw in the base frame of now; the first is the origin."""
_Speeds = NDArray[np.float64]
_LAGS = 5.0
"""Time constants after which what is left of a speed counts for nothing."""
End = Literal["moving", "along the arc", "each speed alone"]
_STANDS_S = 1e-9
"""What brakes within this time stands."""


@dataclass(frozen=True)
class Braking:
    """Guaranteed decelerations; for want of other numbers also how fast speeds are taken to follow commands.

    Speeds close the gap to what is commanded with the time constant `lag_s`, within those rates.
    """

    accel_mps2: float
    turn_accel_rps2: float
    lag_s: float = 0.0


@dataclass(frozen=True)
class Held:
    """A command on its way to the base, which will hold for so many seconds before the next one acts."""

    command: Command
    seconds: float


@dataclass(frozen=True)
class Sweep:
    """Poses, how far at most any point of the outline moves between two (metres), and the speeds at the end."""

    poses: Poses
    spacing_m: float
    speeds: Command = STOP

    def then(self, after: Sweep) -> Sweep:
        """This one, and from its last pose on another that begins at its speeds."""
        poses = np.concatenate([self.poses, onward(after.poses[1:], self.poses[-1])])
        return Sweep(poses, max(self.spacing_m, after.spacing_m), after.speeds)


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
    now: Command, held: Sequence[Held], braking: Braking, spacing_m: float, reach_m: float, end: End = "along the arc"
) -> Sweep:
    """From the speeds `now` through `held`, one after the other, and by `end` to standstill or not.

    Speeds move towards each command at the rates of `braking` and with its lag. At the end both are braked to end
    together, so that the base stays on its arc, or each on its own, as a base does that is just told to stop.
    """
    most_v = max(abs(now.v_mps), *(abs(h.command.v_mps) for h in held))
    most_w = max(abs(now.w_rps), *(abs(h.command.w_rps) for h in held))
    dt = min(0.02, spacing_m / max(most_v + reach_m * most_w, 1e-6))
    v_at, w_at, steps = _speeds(now, held, braking, dt, end)
    v, w = (v_at[1:] + v_at[:-1]) / 2, (w_at[1:] + w_at[:-1]) / 2
    yaw = np.concatenate([[0.0], np.cumsum(w * steps)])
    middle = yaw[:-1] + w * steps / 2
    x, y = np.cumsum(v * steps * np.cos(middle)), np.cumsum(v * steps * np.sin(middle))
    poses = np.stack([np.concatenate([[0.0], x]), np.concatenate([[0.0], y]), yaw], axis=1)
    return Sweep(poses, dt * (most_v + reach_m * most_w), Command(float(v_at[-1]), float(w_at[-1])))


def onward(poses: Poses, start: NDArray[np.float64]) -> Poses:
    """`poses` given in the frame at the pose `start`, in the frame that `start` is given in."""
    cos, sin = math.cos(start[2]), math.sin(start[2])
    x = start[0] + cos * poses[:, 0] - sin * poses[:, 1]
    y = start[1] + sin * poses[:, 0] + cos * poses[:, 1]
    return np.stack([x, y, start[2] + poses[:, 2]], axis=1)


def _speeds(
    now: Command, held: Sequence[Held], braking: Braking, most_s: float, end: End
) -> tuple[_Speeds, _Speeds, _Speeds]:
    """Both speeds now and after each step, and how long each step lasts, at most `most_s`."""
    v, w, steps = [np.array([now.v_mps])], [np.array([now.w_rps])], [np.zeros(0)]

    def go(command: Command, seconds: float) -> None:
        times = _times(seconds, most_s)
        v.append(_towards(float(v[-1][-1]), command.v_mps, braking.accel_mps2, braking.lag_s, times))
        w.append(_towards(float(w[-1][-1]), command.w_rps, braking.turn_accel_rps2, braking.lag_s, times))
        steps.append(np.full(len(times), times[0]))

    for part in held:
        if part.seconds > 0:
            go(part.command, part.seconds)
    v_end, w_end = float(v[-1][-1]), float(w[-1][-1])
    brake_s = _brake_s(v_end, w_end, braking)
    if end == "each speed alone" and brake_s > _STANDS_S:
        go(STOP, brake_s + _LAGS * braking.lag_s)
    elif end == "along the arc" and brake_s > _STANDS_S:
        times = _times(brake_s, most_s)
        v.append(v_end * (1.0 - times / brake_s))
        w.append(w_end * (1.0 - times / brake_s))
        steps.append(np.full(len(times), times[0]))
    return np.concatenate(v), np.concatenate(w), np.concatenate(steps)


def _times(seconds: float, most_s: float) -> _Speeds:
    """Evenly from after 0 to `seconds`, at most `most_s` apart."""
    count = max(1, math.ceil(seconds / most_s - 1e-9))
    return np.asarray(np.arange(1, count + 1) * (seconds / count))


def _towards(start: float, target: float, rate: float, lag_s: float, after: _Speeds) -> _Speeds:
    """A speed at times `after` (s): it closes the gap with a time constant, but changes by `rate` at most."""
    gap = target - start
    steep_s = max(abs(gap) / rate - lag_s, 0.0)
    if lag_s <= 0.0:
        return np.asarray(start + np.clip(gap, -rate * after, rate * after))
    left = abs(gap) - rate * np.minimum(after, steep_s)
    left *= np.exp(-np.maximum(after - steep_s, 0.0) / lag_s)
    return np.asarray(target - math.copysign(1.0, gap) * left)


def _brake_s(v: float, w: float, braking: Braking) -> float:
    return max(abs(v) / braking.accel_mps2, abs(w) / braking.turn_accel_rps2)
