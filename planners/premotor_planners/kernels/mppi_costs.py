"""What a rollout is judged by."""

from __future__ import annotations

from dataclasses import dataclass

_MOST, _LEAST = 1e6, 1e-6


@dataclass(frozen=True)
class MppiCosts:
    """Weights and distances. Map terms count per second of rollout, `terminal` once.

    `near` grows with the square of how far the clearance is below `safe_m`, `hit` from 0 to its full weight within
    `hit_ramp_m` below `radius_m`; `control` weighs MPPI's importance term. `temperature` is that of the softmax.
    """

    guide: float = 2.0
    terminal: float = 2.0
    near: float = 3.0
    hit: float = 100.0
    hit_ramp_m: float = 0.02
    control: float = 0.005
    temperature: float = 0.1
    radius_m: float = 0.23
    safe_m: float = 0.36

    def __post_init__(self) -> None:
        weights = (self.guide, self.terminal, self.near, self.hit, self.control)
        if not all(0 <= weight <= _MOST for weight in weights):
            raise ValueError(f"{self}: weights must be at least 0 and at most {_MOST:g}")
        if not (self.temperature >= _LEAST and self.hit_ramp_m >= _LEAST):
            raise ValueError(
                f"temperature {self.temperature} and hit_ramp_m {self.hit_ramp_m} must be above {_LEAST:g}"
            )
        if not 0 < self.radius_m < self.safe_m:
            raise ValueError(f"radius_m {self.radius_m} must be above 0 and below safe_m {self.safe_m}")
