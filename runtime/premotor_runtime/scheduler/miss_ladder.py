"""What to do about missed deadlines: hold the shifted plan, degrade, brake to a stop, hand to the fallback. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from premotor_foundation.strict_yaml import limited

Action = Literal["use", "hold_shifted", "brake", "fallback"]
ACTIONS: tuple[Action, ...] = ("use", "hold_shifted", "brake", "fallback")


class MissState(NamedTuple):
    """`in_a_row` misses and `clean` periods up to now, the last ones as bits (1: missed), the degradation `level`."""

    in_a_row: int = 0
    clean: int = 0
    window: int = 0
    level: int = 0


@dataclass(frozen=True)
class MissLadder:
    """Periods are those of the task.

    Up to `hold_periods` misses in a row the last plan, shifted, is used; from then on the robot brakes; after
    `fallback_periods` more the task is handed to its fallback. With `degrade_misses` in the last `degrade_window`
    periods the work is made smaller by one level (half the rollouts, a coarser window), and after `recover_periods`
    without a miss larger by one again.
    """

    hold_periods: int = limited(at_least=0, at_most=20, default=3)
    degrade_misses: int = limited(at_least=1, at_most=64, default=2)
    degrade_window: int = limited(at_least=1, at_most=64, default=10)
    recover_periods: int = limited(at_least=1, default=500)
    fallback_periods: int = limited(at_least=1, default=50)

    def __post_init__(self) -> None:
        if self.degrade_misses > self.degrade_window:
            raise ValueError(
                f"`degrade_misses` is {self.degrade_misses}; it must be at most `degrade_window`, {self.degrade_window}"
            )

    def after(self, state: MissState, missed: bool, deepest: int) -> MissState:
        """The state after one more period; `deepest` is the last level there is."""
        window = ((state.window << 1) | missed) & ((1 << self.degrade_window) - 1)
        in_a_row, clean, level = (state.in_a_row + 1, 0, state.level) if missed else (0, state.clean + 1, state.level)
        if missed and level < deepest and window.bit_count() >= self.degrade_misses:
            return MissState(in_a_row, clean, 0, level + 1)
        if level and clean >= self.recover_periods:
            return MissState(in_a_row, 0, window, level - 1)
        return MissState(in_a_row, clean, window, level)

    def action(self, state: MissState) -> Action:
        """For the period that led to `state`."""
        if state.in_a_row == 0:
            return "use"
        if state.in_a_row <= self.hold_periods:
            return "hold_shifted"
        return "brake" if state.in_a_row <= self.hold_periods + self.fallback_periods else "fallback"
