"""What shapes a rollout (limits) and what it is judged by (costs)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from premotor_planners.kernels.tensor import Field


@dataclass(frozen=True)
class MppiLimits:
    """Speeds, accelerations, deviations of the noise, and the distances at which obstacles count.

    A deviation of zero holds that speed at its nominal value: it enters the control cost with weight zero.
    """

    max_forward_mps: float = 0.8
    max_reverse_mps: float = 0.15
    max_turn_rps: float = 1.8
    max_accel_mps2: float = 1.0
    max_turn_accel_rps2: float = 3.5
    v_std_mps: float = 0.3
    w_std_rps: float = 0.9
    radius_m: float = 0.23
    safe_m: float = 0.36

    def __post_init__(self) -> None:
        if not 0 < self.radius_m < self.safe_m:
            raise ValueError(f"radius_m {self.radius_m} must be above 0 and below safe_m {self.safe_m}")
        if min(self.v_std_mps, self.w_std_rps) < 0:
            raise ValueError("v_std_mps and w_std_rps must be at least 0")

    @property
    def speeds(self) -> tuple[Field, Field]:
        """Lowest and highest v and w, each (2, 1)."""
        low = np.array([[-self.max_reverse_mps], [-self.max_turn_rps]], np.float32)
        return low, np.array([[self.max_forward_mps], [self.max_turn_rps]], np.float32)

    @property
    def accelerations(self) -> Field:
        """(2, 1)."""
        return np.array([[self.max_accel_mps2], [self.max_turn_accel_rps2]], np.float32)

    @property
    def deviations(self) -> Field:
        """(2, 1)."""
        return np.array([[self.v_std_mps], [self.w_std_rps]], np.float32)

    @property
    def inverse_deviations(self) -> Field:
        """(2, 1), zero where the deviation is zero."""
        deviations = self.deviations
        positive = deviations > 0
        return np.where(positive, 1.0 / np.where(positive, deviations, 1.0), 0.0).astype(np.float32)


@dataclass(frozen=True)
class MppiCosts:
    """Weights. Map terms count per second of rollout, `terminal` once, the change of speed per step."""

    guide: float = 2.0
    terminal: float = 2.0
    near: float = 3.0
    hit: float = 100.0
    hit_ramp_m: float = 0.02
    control: float = 0.005
    v_change: float = 0.2
    w_change: float = 0.05
    temperature: float = 0.1

    def __post_init__(self) -> None:
        if self.temperature <= 0 or self.hit_ramp_m <= 0:
            raise ValueError("temperature and hit_ramp_m must be above 0")

    @property
    def change_weights(self) -> Field:
        """(2,)."""
        return np.array([self.v_change, self.w_change], np.float32)
