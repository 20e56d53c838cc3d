"""Turning in place and standing still, as sequences that keep the acceleration limits."""

from __future__ import annotations

import math

import numpy as np

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.tensor import Field
from premotor_planners.motion.state import Command

_GAIN = 3.0
"""Turn rate per radian of error, 1/s."""
_BRAKE_SHARE = 0.6
"""Share of the turn acceleration that planning counts on for stopping at the right heading."""


def turning_sequence(kernel: Mppi, v: float, w: float, error: float) -> Field:
    """v brought to 0 and the heading error (rad) closed, from the speeds v and w on; shape (steps, 2)."""
    (forward, turn), dt = kernel.motion.channels, kernel.dt_s
    sequence = np.empty((kernel.steps, 2), np.float32)
    for i in range(kernel.steps):
        most = math.sqrt(2.0 * _BRAKE_SHARE * turn.rate * abs(error))
        wanted = math.copysign(min(_GAIN * abs(error), most, turn.high), error)
        v = toward(v, 0.0, forward.rate * dt)
        w = toward(w, wanted, turn.rate * dt)
        error -= w * dt
        sequence[i] = v, w
    return sequence


def braking_sequence(kernel: Mppi, v: float, w: float) -> Field:
    """Both speeds brought to 0 as fast as the limits allow, shape (steps, 2)."""
    (forward, turn), dt = kernel.motion.channels, kernel.dt_s
    steps = np.arange(1, kernel.steps + 1) * dt
    left_v = np.maximum(abs(v) - forward.rate * steps, 0.0) * math.copysign(1.0, v)
    left_w = np.maximum(abs(w) - turn.rate * steps, 0.0) * math.copysign(1.0, w)
    return np.stack([left_v, left_w], axis=1).astype(np.float32)


def ramped_sequence(kernel: Mppi, v: float, w: float, wanted: Command) -> Field:
    """Both speeds brought to `wanted` as fast as the limits allow, shape (steps, 2)."""
    (forward, turn), dt = kernel.motion.channels, kernel.dt_s
    sequence = np.empty((kernel.steps, 2), np.float32)
    for i in range(kernel.steps):
        v, w = toward(v, wanted.v_mps, forward.rate * dt), toward(w, wanted.w_rps, turn.rate * dt)
        sequence[i] = v, w
    return sequence


def shifted(sequence: Field, share: float = 1.0) -> Field:
    """The sequence one step later, or a `share` of one; its last speeds are repeated."""
    later: Field = np.concatenate([sequence[1:], sequence[-1:]])
    return later if share == 1.0 else sequence + np.float32(share) * (later - sequence)


def toward(value: float, target: float, most: float) -> float:
    """`value` changed by `most` at most."""
    return value + min(max(target - value, -most), most)
