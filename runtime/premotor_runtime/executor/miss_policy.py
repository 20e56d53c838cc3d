"""What to command in a period whose computation missed its deadline. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from premotor_foundation.strict_yaml import limited

Action = Literal["use", "hold_shifted", "brake"]


@dataclass(frozen=True)
class MissPolicy:
    """Hold the last plan, shifted by one step a period, for at most `max_held_periods`; then brake to a stop."""

    max_held_periods: int = limited(at_least=0, at_most=20, default=3)

    def action(self, misses_in_a_row: int) -> Action:
        """What to do when this period is the `misses_in_a_row`-th missed one in succession (0: it was not missed)."""
        if misses_in_a_row == 0:
            return "use"
        return "hold_shifted" if misses_in_a_row <= self.max_held_periods else "brake"
