"""What motion needs to know of a robot: `configs/robots/*.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from premotor_foundation.strict_yaml import limited, load
from premotor_planners.costmap.footprint import polygon_footprint
from premotor_planners.motion.footprint import Disc, Footprint


@dataclass(frozen=True)
class Lidar:
    """A planar scanner at the robot's centre, its beams evenly over the field of view, which is centred ahead.

    Over a full circle beam 0 looks ahead and the rest follow counter-clockwise.
    """

    beams: int = limited(at_least=8, at_most=4096, default=360)
    range_min_m: float = limited(above=0.0, at_most=1.0, default=0.05)
    range_max_m: float = limited(above=0.5, at_most=100.0, default=12.0)
    height_m: float = limited(above=0.0, at_most=2.0, default=0.2)
    field_of_view_deg: float = limited(above=0.0, at_most=360.0, default=360.0)


@dataclass(frozen=True)
class RobotParameters:
    """A differential-drive robot.

    It lies within `footprint_radius_m` of its centre: round, or, where `footprint_m` has corners (metres in the base
    frame, in order around it), that polygon. `planning_radius_m` is what maps are grown by; it includes a reserve.
    A command shows `command_delay_s` after it is sent; speeds then close the gap to it with time constant `lag_s`.
    """

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
    footprint_m: tuple[tuple[float, float], ...] = ()
    command_delay_s: float = limited(at_least=0.0, at_most=0.5, default=0.0)
    lag_s: float = limited(at_least=0.0, at_most=1.0, default=0.0)

    def __post_init__(self) -> None:
        if self.planning_radius_m < self.footprint_radius_m:
            raise ValueError(
                f"`planning_radius_m` {self.planning_radius_m:g} is below `footprint_radius_m` "
                f"{self.footprint_radius_m:g}; it must be at least that"
            )
        if self.footprint.reach_m > self.footprint_radius_m + 1e-6:
            raise ValueError(
                f"`footprint_radius_m` {self.footprint_radius_m:g} leaves out a corner of `footprint_m` "
                f"{self.footprint.reach_m:.3f} m away; it must enclose them all"
            )
        if self.lidar.range_min_m >= self.lidar.range_max_m:
            raise ValueError("`range_min_m` must be below `range_max_m`")

    @property
    def footprint(self) -> Footprint:
        """The outline. Raises FootprintError for `footprint_m` that is no polygon."""
        return polygon_footprint(self.footprint_m) if self.footprint_m else Disc(self.footprint_radius_m)

    @property
    def period_s(self) -> float:
        """Seconds from one control tick to the next."""
        return 1.0 / self.control_hz


def load_robot(path: Path) -> RobotParameters:
    """The robot in a YAML file. Raises ConfigError naming file and line."""
    return load(path, RobotParameters)
