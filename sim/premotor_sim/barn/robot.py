"""The robot of the benchmark: outline, limits and lidar of a Jackal, driven by two wheels that may slip."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class BarnRobot:
    """Metres, m/s, rad/s and their rates; the pose is the middle of the outline."""

    length_m: float = 0.508
    width_m: float = 0.432
    max_forward_mps: float = 2.0
    max_reverse_mps: float = 0.5
    max_turn_rps: float = 2.5
    max_accel_mps2: float = 2.0
    max_turn_accel_rps2: float = 5.0
    beams: int = 720
    field_of_view_rad: float = 1.5 * math.pi
    range_min_m: float = 0.1
    range_max_m: float = 10.0
    wheel_radius_m: float = 0.098
    wheel_separation_m: float = 0.36
    mass_kg: float = 17.0

    @property
    def corners_m(self) -> tuple[tuple[float, float], ...]:
        """The outline, counter-clockwise."""
        x, y = self.length_m / 2, self.width_m / 2
        return (x, y), (-x, y), (-x, -y), (x, -y)

    @property
    def angle_increment(self) -> float:
        """Radians between two beams; the first and the last lie on the edges of the field of view."""
        return self.field_of_view_rad / (self.beams - 1)

    def discs(self, count: int = 4) -> tuple[tuple[float, ...], float]:
        """Offsets along the axis and the radius of `count` equal discs that together cover the outline."""
        half = self.length_m / (2 * count)
        offsets = tuple((2 * i + 1) * half - self.length_m / 2 for i in range(count))
        return offsets, math.hypot(half, self.width_m / 2)
