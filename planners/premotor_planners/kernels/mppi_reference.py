"""The arithmetic of the kernel `mppi`, in numpy: what the graph and the native version are held to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.tensor import Arrays, Field

if TYPE_CHECKING:
    from premotor_planners.kernels.mppi import Mppi

EDGE = 1e-3
"""Samples beyond the window are taken this fraction of a cell inside its last row or column."""


def solve(kernel: Mppi, inputs: Arrays) -> dict[str, NDArray[Any]]:
    """Outputs by name, see `Mppi`."""
    state, nominal, noise = inputs["state"], inputs["nominal"], inputs["noise"]
    controls = rate_limited(kernel, state, varied(kernel, nominal, noise))
    x, y = positions(kernel, state, controls)
    guide = sampled(kernel, inputs["fields"][1], x, y)
    clearance = body_clearance(kernel, inputs["fields"][0], state, controls)
    cost = map_cost(kernel, clearance, guide) + control_cost(kernel, state, nominal, noise, controls)
    weights = np.exp(-(cost - cost.min()) / np.float32(kernel.costs.temperature))
    weights /= weights.sum()
    free = clearance.min(axis=0) >= np.float32(kernel.costs.radius_m)
    return {
        "sequence": (controls @ weights).astype(np.float32),
        "best_cost": np.array([cost.min()], np.float32),
        "expected_cost": np.array([cost @ weights], np.float32),
        "free_share": np.array([free.mean()], np.float32),
    }


def varied(kernel: Mppi, nominal: Field, noise: Field) -> Field:
    """Noise added and the limits applied, shape (steps, channels, rollouts)."""
    c = kernel.columns
    return np.clip(nominal[:, :, None] + noise * c.deviation, c.low, c.high).astype(np.float32)


def rate_limited(kernel: Mppi, state: Field, wanted: Field) -> Field:
    """What is really reached when each step changes by at most rate * dt from the measured values on."""
    most = kernel.columns.rate * np.float32(kernel.dt_s)
    reached = np.empty_like(wanted)
    last = np.broadcast_to(state[3:, None], wanted.shape[1:])
    for i, want in enumerate(wanted):
        last = last + np.clip(want - last, -most, most)
        reached[i] = last
    return reached


def positions(kernel: Mppi, state: Field, controls: Field) -> tuple[Field, Field]:
    """x and y after each step, shape (steps, rollouts); the heading at the middle of a step moves it."""
    dt = np.float32(kernel.dt_s)
    forward, lateral, turn = kernel.motion.speeds([controls[:, c] for c in range(kernel.channels)])
    middle = state[2] + np.cumsum(turn * dt, axis=0) - np.float32(0.5) * dt * turn
    cosine, sine = np.cos(middle), np.sin(middle)
    along, across = forward * cosine, forward * sine
    if lateral is not None:
        along, across = along - lateral * sine, across + lateral * cosine
    x = state[0] + np.cumsum(along * dt, axis=0)
    y = state[1] + np.cumsum(across * dt, axis=0)
    return x.astype(np.float32), y.astype(np.float32)


def headings(kernel: Mppi, state: Field, controls: Field) -> Field:
    """The heading after each step, shape (steps, rollouts)."""
    turn = kernel.motion.speeds([controls[:, c] for c in range(kernel.channels)]).turn
    return np.asarray(state[2] + np.cumsum(turn * np.float32(kernel.dt_s), axis=0), np.float32)


def body_clearance(kernel: Mppi, plane: Field, state: Field, controls: Field) -> Field:
    """The least clearance of the discs' centres after each step, shape (steps, rollouts)."""
    x, y = positions(kernel, state, controls)
    if kernel.body_m == (0.0,):
        return sampled(kernel, plane, x, y)
    yaw = headings(kernel, state, controls)
    ahead, across = np.cos(yaw), np.sin(yaw)
    offsets = [np.float32(offset) for offset in kernel.body_m]
    least: Field = np.min([sampled(kernel, plane, x + d * ahead, y + d * across) for d in offsets], axis=0)
    return least


def sampled(kernel: Mppi, plane: Field, x: Field, y: Field) -> Field:
    """`plane` at the points, bilinear between cell centres; beyond the window the value at its edge."""
    col = np.clip(x / np.float32(kernel.resolution_m), 0.0, kernel.cols - 1 - EDGE).astype(np.float32)
    row = np.clip(y / np.float32(kernel.resolution_m), 0.0, kernel.rows - 1 - EDGE).astype(np.float32)
    c, r = col.astype(np.int32), row.astype(np.int32)
    right, up = col - c, row - r
    low = plane[r, c] + (plane[r, c + 1] - plane[r, c]) * right
    high = plane[r + 1, c] + (plane[r + 1, c + 1] - plane[r + 1, c]) * right
    return np.asarray(low + (high - low) * up, np.float32)


def map_cost(kernel: Mppi, clearance: Field, guide: Field) -> Field:
    """Distance to go, nearness to obstacles and contact, over the rollout; shape (rollouts,)."""
    costs = kernel.costs
    near = np.clip((costs.safe_m - clearance) / (costs.safe_m - costs.radius_m), 0.0, 1.0)
    hit = np.clip((costs.radius_m - clearance) / costs.hit_ramp_m, 0.0, 1.0)
    rate = costs.guide * guide + costs.near * np.square(near) + costs.hit * hit
    return np.asarray(rate.sum(axis=0) * kernel.dt_s + costs.terminal * guide[-1], np.float32)


def control_cost(kernel: Mppi, state: Field, nominal: Field, noise: Field, controls: Field) -> Field:
    """MPPI's importance term nominal/deviation * noise, and the change of what is commanded; shape (rollouts,)."""
    pull = np.einsum("tc,tck->k", nominal * kernel.columns.inverse_deviation[:, 0], noise)
    before = np.broadcast_to(state[None, 3:, None], (1, *controls.shape[1:]))
    change = np.diff(controls, axis=0, prepend=before)
    effort = np.einsum("c,tck->k", kernel.columns.change_cost[:, 0], np.square(change))
    return np.asarray(kernel.costs.control * pull + effort, np.float32)
