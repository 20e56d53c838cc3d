"""Two driven wheels: a speed forward and a turn rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from premotor_planners.kernels.mppi_motion import Channel, Speeds, WrittenSpeeds
from premotor_planners.kernels.tensor import Field

if TYPE_CHECKING:
    from premotor_planners.kernels.mppi_stage import Stage


@dataclass(frozen=True)
class Differential:
    """Commands v (m/s) and w (rad/s)."""

    max_forward_mps: float = 0.8
    max_reverse_mps: float = 0.15
    max_turn_rps: float = 1.8
    max_accel_mps2: float = 1.0
    max_turn_accel_rps2: float = 3.5
    v_std_mps: float = 0.3
    w_std_rps: float = 0.9
    v_change: float = 0.2
    w_change: float = 0.05

    def __post_init__(self) -> None:
        _ = self.channels  # refuses limits that are none

    @property
    def name(self) -> Literal["differential"]:
        """`differential`."""
        return "differential"

    @property
    def channels(self) -> tuple[Channel, ...]:
        """v, w."""
        forward, turn = self.max_forward_mps, self.max_turn_rps
        return (
            Channel("v", -self.max_reverse_mps, forward, self.max_accel_mps2, self.v_std_mps, self.v_change),
            Channel("w", -turn, turn, self.max_turn_accel_rps2, self.w_std_rps, self.w_change),
        )

    def speeds(self, controls: Sequence[Field]) -> Speeds:
        """The channels themselves."""
        v, w = controls
        return Speeds(v, None, w)

    def write(self, stage: Stage, controls: Sequence[str]) -> WrittenSpeeds:
        """No node."""
        v, w = controls
        return WrittenSpeeds(v, None, w)
