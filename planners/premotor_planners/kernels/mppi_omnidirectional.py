"""Mecanum or swivelling wheels: speeds forward and sideways, and a turn rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from premotor_planners.kernels.mppi_motion import Channel, Speeds, WrittenSpeeds
from premotor_planners.kernels.tensor import Field

if TYPE_CHECKING:
    from premotor_planners.kernels.mppi_stage import Stage


@dataclass(frozen=True)
class Omnidirectional:
    """Commands vx, vy (m/s, y to the left) and w (rad/s)."""

    max_forward_mps: float = 0.8
    max_reverse_mps: float = 0.3
    max_lateral_mps: float = 0.5
    max_turn_rps: float = 1.8
    max_accel_mps2: float = 1.0
    max_lateral_accel_mps2: float = 1.0
    max_turn_accel_rps2: float = 3.5
    vx_std_mps: float = 0.3
    vy_std_mps: float = 0.2
    w_std_rps: float = 0.6
    vx_change: float = 0.2
    vy_change: float = 0.2
    w_change: float = 0.05

    def __post_init__(self) -> None:
        _ = self.channels  # refuses limits that are none

    @property
    def name(self) -> Literal["omnidirectional"]:
        """`omnidirectional`."""
        return "omnidirectional"

    @property
    def channels(self) -> tuple[Channel, ...]:
        """vx, vy, w."""
        forward, side, turn = self.max_forward_mps, self.max_lateral_mps, self.max_turn_rps
        return (
            Channel("vx", -self.max_reverse_mps, forward, self.max_accel_mps2, self.vx_std_mps, self.vx_change),
            Channel("vy", -side, side, self.max_lateral_accel_mps2, self.vy_std_mps, self.vy_change),
            Channel("w", -turn, turn, self.max_turn_accel_rps2, self.w_std_rps, self.w_change),
        )

    def speeds(self, controls: Sequence[Field]) -> Speeds:
        """The channels themselves."""
        vx, vy, w = controls
        return Speeds(vx, vy, w)

    def write(self, stage: Stage, controls: Sequence[str]) -> WrittenSpeeds:
        """No node."""
        vx, vy, w = controls
        return WrittenSpeeds(vx, vy, w)
