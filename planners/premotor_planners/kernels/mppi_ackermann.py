"""A car: a speed and the angle of its front wheels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from premotor_planners.kernels.mppi_motion import Channel, Speeds, WrittenSpeeds
from premotor_planners.kernels.tensor import Field

if TYPE_CHECKING:
    from premotor_planners.kernels.mppi_stage import Stage

_MOST_STEER = 1.4
_LEAST_WHEELBASE_M = 0.05


@dataclass(frozen=True)
class Ackermann:
    """Commands v (m/s) of the middle of the rear axle, which the pose is of, and the steering angle (rad, to the left).

    The kinematic bicycle: it turns at v tan(steer) / wheelbase. Speed and angle are varied rather than speed and turn
    rate, since |w| <= |v| / radius is not convex: the mean of a forward and a backward rollout could break it.
    """

    wheelbase_m: float = 0.4
    max_forward_mps: float = 1.0
    max_reverse_mps: float = 0.3
    max_steer_rad: float = 0.5
    max_accel_mps2: float = 1.0
    max_steer_rps: float = 1.5
    v_std_mps: float = 0.3
    steer_std_rad: float = 0.25
    v_change: float = 0.2
    steer_change: float = 0.2

    def __post_init__(self) -> None:
        if not (self.wheelbase_m >= _LEAST_WHEELBASE_M and 0 < self.max_steer_rad <= _MOST_STEER):
            raise ValueError(
                f"wheelbase_m {self.wheelbase_m} must be at least {_LEAST_WHEELBASE_M}, "
                f"max_steer_rad {self.max_steer_rad} above 0 and at most {_MOST_STEER}"
            )
        _ = self.channels  # refuses limits that are none

    @property
    def name(self) -> Literal["ackermann"]:
        """`ackermann`."""
        return "ackermann"

    @property
    def channels(self) -> tuple[Channel, ...]:
        """v, steer."""
        forward, steer = self.max_forward_mps, self.max_steer_rad
        return (
            Channel("v", -self.max_reverse_mps, forward, self.max_accel_mps2, self.v_std_mps, self.v_change),
            Channel("steer", -steer, steer, self.max_steer_rps, self.steer_std_rad, self.steer_change),
        )

    def speeds(self, controls: Sequence[Field]) -> Speeds:
        """A measured angle beyond the limit turns like one at the limit: the tangent stays bounded."""
        v, steer = controls
        most = np.float32(self.max_steer_rad)
        return Speeds(v, None, v * np.tan(np.clip(steer, -most, most)) * np.float32(1.0 / self.wheelbase_m))

    def write(self, stage: Stage, controls: Sequence[str]) -> WrittenSpeeds:
        """Clip, Tan and two products."""
        v, steer = controls
        most = stage.constant("steer_high", self.max_steer_rad)
        inside = stage.op("Clip", [steer, stage.constant("steer_low", -self.max_steer_rad), most], "steer_inside")
        curved = stage.op("Mul", [v, stage.op("Tan", [inside], "steer_tangent")], "turn_times_wheelbase")
        turn = stage.op("Mul", [curved, stage.constant("inverse_wheelbase", 1.0 / self.wheelbase_m)], "turn")
        return WrittenSpeeds(v, None, turn)
