"""What motion needs to know of a robot: `configs/robots/*.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from premotor_foundation.strict_yaml import limited, load


@dataclass(frozen=True)
class Lidar:
    """A planar scanner at the robot's centre; beam 0 looks ahead, the rest follow counter-clockwise."""

    beams: int = limited(at_least=8, at_most=4096, default=360)
    range_min_m: float = limited(above=0.0, at_most=1.0, default=0.05)
    range_max_m: float = limited(above=0.5, at_most=100.0, default=12.0)
    height_m: float = limited(above=0.0, at_most=2.0, default=0.2)


@dataclass(frozen=True)
class RobotParameters:
    """A round differential-drive robot. `planning_radius_m` is what maps are grown by; it includes a reserve."""

    name: str
    footprint_radius_m: float = limited(above=0.05, at_most=1.0)
    planning_radius_m: float = limited(above=0.05, at_most=1.5)
    max_forward_mps: float = limited(above=0.0, at_most=3.0)
    max_reverse_mps: float = limited(at_least=0.0, at_most=1.0)
    max_turn_rps: float = limited(above=0.0, at_most=6.0)
    max_accel_mps2: float = limited(above=0.0, at_most=10.0)
    max_turn_accel_rps2: float = limited(above=0.0, at_most=40.0)
    control_hz: float = limited(at_least=5.0, at_most=100.0, default=20.0)
    lidar: Lidar = Lidar()

    def __post_init__(self) -> None:
        if self.planning_radius_m < self.footprint_radius_m:
            raise ValueError(
                f"`planning_radius_m` {self.planning_radius_m:g} is below `footprint_radius_m` "
                f"{self.footprint_radius_m:g}; it must be at least that"
            )
        if self.lidar.range_min_m >= self.lidar.range_max_m:
            raise ValueError("`range_min_m` must be below `range_max_m`")

    @property
    def period_s(self) -> float:
        """Seconds from one control tick to the next."""
        return 1.0 / self.control_hz


def load_robot(path: Path) -> RobotParameters:
    """The robot in a YAML file. Raises ConfigError naming file and line."""
    return load(path, RobotParameters)
