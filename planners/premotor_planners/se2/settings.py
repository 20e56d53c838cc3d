"""How the SE(2) planner plans; Nav2's names where it has one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from premotor_planners.se2.curves import Motion


@dataclass(frozen=True)
class Se2Settings:
    """Raises ValueError for a value outside its range.

    A metre backward costs `reverse_penalty` metres, a change between forward and backward `change_penalty_m`, a radian
    on the spot (with `turn_in_place`) `turn_penalty_m`. Between two checked poses no point of the outline moves more
    than `spacing_m`, half of which is kept free around the outline. `eagerness` is by how
    much the estimate of what is left counts for more than what was driven: a larger one finds a longer way sooner.
    """

    motion: Motion = "reeds_shepp"
    minimum_turning_radius_m: float = 0.4
    turn_in_place: bool = False
    reverse_penalty: float = 2.0
    change_penalty_m: float = 0.3
    turn_penalty_m: float = 0.3
    spacing_m: float = 0.02
    eagerness: float = 1.5
    max_planning_time_s: float = 5.0

    def __post_init__(self) -> None:
        if self.motion not in ("dubins", "reeds_shepp"):
            raise ValueError(f"motion is `{self.motion}`; it must be `dubins` or `reeds_shepp`")
        for name, least, most in (
            ("minimum_turning_radius_m", 0.05, 100.0),
            ("reverse_penalty", 1.0, 100.0),
            ("change_penalty_m", 0.0, 100.0),
            ("turn_penalty_m", 0.01, 100.0),
            ("spacing_m", 0.001, 1.0),
            ("eagerness", 1.0, 10.0),
            ("max_planning_time_s", 0.0, math.inf),
        ):
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be from {least:g} to {most:g}")
