"""MPPI for a differential drive: many rollouts scored at once, averaged by how well they do.

Information-theoretic model predictive control as in Williams et al., "Information Theoretic Model Predictive Control:
Theory and Applications to Autonomous Driving" (2018). Rollouts stay within the speed and acceleration limits, so
their average, the returned sequence, does too (both sets are convex). Every cost is continuous in the state, so that
implementations which round differently agree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.mppi_graph import write_mppi
from premotor_planners.kernels.mppi_parameters import MppiCosts, MppiLimits
from premotor_planners.kernels.tensor import Arrays, Field, Tensor

_EDGE = 1e-3
"""Samples beyond the window are taken this fraction of a cell inside its last row or column."""


@dataclass(frozen=True)
class Mppi:
    """The kernel `mppi`.

    Inputs, float32, in the frame of the window (metres from the centre of its cell (0, 0)):
      state (5,)              x, y, yaw, v, w: pose and measured speeds
      nominal (steps, 2)      v and w of the sequence to vary
      noise (steps, 2, rollouts)  standard normal numbers, or anything finite
      fields (2, rows, cols)  clearance in metres to the nearest obstacle (0 inside); cost-to-go in metres
    Outputs: sequence (steps, 2); best_cost, expected_cost and free_share, each (1,): the cheapest rollout, the mean
    under the weights, and the share of rollouts that never came nearer than the robot's radius to an obstacle.
    """

    rollouts: int = 512
    steps: int = 40
    dt_s: float = 0.05
    rows: int = 96
    cols: int = 96
    resolution_m: float = 0.05
    limits: MppiLimits = field(default_factory=MppiLimits)
    costs: MppiCosts = field(default_factory=MppiCosts)

    def __post_init__(self) -> None:
        if min(self.rollouts, self.steps) < 1 or min(self.rows, self.cols) < 2 or self.dt_s <= 0:
            raise ValueError(f"{self}: at least 1 rollout, 1 step, 2 x 2 cells and a positive dt_s are needed")

    @property
    def name(self) -> str:
        """`mppi`."""
        return "mppi"

    @property
    def tolerance(self) -> float:
        """In m/s and rad/s for the sequence; costs agree within it relative to (1 + cost)."""
        return 5e-3

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """state, nominal, noise, fields."""
        return (
            Tensor("state", (5,)),
            Tensor("nominal", (self.steps, 2)),
            Tensor("noise", (self.steps, 2, self.rollouts)),
            Tensor("fields", (2, self.rows, self.cols)),
        )

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """sequence, best_cost, expected_cost, free_share."""
        scalars = (Tensor("best_cost", (1,)), Tensor("expected_cost", (1,)), Tensor("free_share", (1,)))
        return (Tensor("sequence", (self.steps, 2)), *scalars)

    def onnx(self) -> bytes:
        """The rollouts unrolled over steps; sums over steps are products with constant matrices."""
        return write_mppi(self)

    def reference(self, inputs: Arrays) -> dict[str, NDArray[Any]]:
        """The definition, in float32."""
        state, nominal, noise = inputs["state"], inputs["nominal"], inputs["noise"]
        controls = self.rate_limited(state, self.varied(nominal, noise))
        x, y = self.positions(state, controls)
        clearance, guide = (self.sampled(plane, x, y) for plane in inputs["fields"])
        cost = self.map_cost(clearance, guide) + self.control_cost(state, nominal, noise, controls)
        weights = np.exp(-(cost - cost.min()) / np.float32(self.costs.temperature))
        weights /= weights.sum()
        free = clearance.min(axis=0) >= np.float32(self.limits.radius_m)
        return {
            "sequence": (controls @ weights).astype(np.float32),
            "best_cost": np.array([cost.min()], np.float32),
            "expected_cost": np.array([cost @ weights], np.float32),
            "free_share": np.array([free.mean()], np.float32),
        }

    def varied(self, nominal: Field, noise: Field) -> Field:
        """Noise added and the speed limits applied, shape (steps, 2, rollouts)."""
        low, high = self.limits.speeds
        return np.clip(nominal[:, :, None] + noise * self.limits.deviations, low, high).astype(np.float32)

    def rate_limited(self, state: Field, wanted: Field) -> Field:
        """Speeds really reached when each step changes by at most acceleration * dt from the measured speeds on."""
        most = self.limits.accelerations * np.float32(self.dt_s)
        reached = np.empty_like(wanted)
        last = np.broadcast_to(state[3:5, None], wanted.shape[1:])
        for i, want in enumerate(wanted):
            last = last + np.clip(want - last, -most, most)
            reached[i] = last
        return reached

    def positions(self, state: Field, controls: Field) -> tuple[Field, Field]:
        """x and y after each step, shape (steps, rollouts); the heading at the middle of a step moves it."""
        dt = np.float32(self.dt_s)
        turned = np.cumsum(controls[:, 1] * dt, axis=0)
        middle = state[2] + turned - np.float32(0.5) * dt * controls[:, 1]
        x = state[0] + np.cumsum(controls[:, 0] * np.cos(middle) * dt, axis=0)
        y = state[1] + np.cumsum(controls[:, 0] * np.sin(middle) * dt, axis=0)
        return x.astype(np.float32), y.astype(np.float32)

    def sampled(self, plane: Field, x: Field, y: Field) -> Field:
        """`plane` at the points, bilinear between cell centres; beyond the window the value at its edge."""
        col = np.clip(x / np.float32(self.resolution_m), 0.0, self.cols - 1 - _EDGE).astype(np.float32)
        row = np.clip(y / np.float32(self.resolution_m), 0.0, self.rows - 1 - _EDGE).astype(np.float32)
        c, r = col.astype(np.int32), row.astype(np.int32)
        right, up = col - c, row - r
        low = plane[r, c] + (plane[r, c + 1] - plane[r, c]) * right
        high = plane[r + 1, c] + (plane[r + 1, c + 1] - plane[r + 1, c]) * right
        return np.asarray(low + (high - low) * up, np.float32)

    def map_cost(self, clearance: Field, guide: Field) -> Field:
        """Distance to go, nearness to obstacles and contact, over the rollout; shape (rollouts,)."""
        costs, limits = self.costs, self.limits
        near = np.clip((limits.safe_m - clearance) / (limits.safe_m - limits.radius_m), 0.0, 1.0)
        hit = np.clip((limits.radius_m - clearance) / costs.hit_ramp_m, 0.0, 1.0)
        rate = costs.guide * guide + costs.near * np.square(near) + costs.hit * hit
        return np.asarray(rate.sum(axis=0) * self.dt_s + costs.terminal * guide[-1], np.float32)

    def control_cost(self, state: Field, nominal: Field, noise: Field, controls: Field) -> Field:
        """MPPI's importance term nominal/deviation * noise, and the change of speed per step; shape (rollouts,)."""
        pull = np.einsum("tc,tck->k", nominal * self.limits.inverse_deviations[:, 0], noise)
        change = np.diff(controls, axis=0, prepend=np.broadcast_to(state[None, 3:5, None], (1, *controls.shape[1:])))
        effort = np.einsum("c,tck->k", self.costs.change_weights, np.square(change))
        return np.asarray(self.costs.control * pull + effort, np.float32)
