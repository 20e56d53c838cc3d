"""How the global planner plans; Nav2's names where it has one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from premotor_planners.planning.search_map import MOST_FACTOR, UNIT_FACTOR

MOST_WEIGHT = MOST_FACTOR / UNIT_FACTOR - 1
MOST_ESCAPE_M = 1.0


@dataclass(frozen=True)
class PlannerSettings:
    """Raises ValueError for a value outside its range.

    `mode`: `shortest` heeds only which cells are free; in `cost_aware` a metre costs 1 + cost_weight * cost / 252.
    `tolerance_m`: where the goal cannot be reached, the nearest reachable cell at most so far from it will do.
    `escape_m`: a start that is not free may be left for the nearest free cell so far away; 0: START_OCCUPIED.
    """

    mode: Literal["shortest", "cost_aware"] = "shortest"
    cost_weight: float = 3.0
    allow_unknown: bool = False
    tolerance_m: float = 0.25
    max_planning_time_s: float = 2.0
    escape_m: float = 0.0
    straighten: bool = True

    def __post_init__(self) -> None:
        if self.mode not in ("shortest", "cost_aware"):
            raise ValueError(f"mode is `{self.mode}`; it must be `shortest` or `cost_aware`")
        for name, most in (
            ("cost_weight", MOST_WEIGHT),
            ("tolerance_m", math.inf),
            ("max_planning_time_s", math.inf),
            ("escape_m", MOST_ESCAPE_M),
        ):
            if not 0 <= getattr(self, name) <= most:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be from 0 to {most:g}")
