"""What state the machine is in for planning: which profile row holds, and how much slower than its row it may be."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_accelerators.board_state import BoardState, Clock
from premotor_accelerators.boards import Board, PowerMode
from premotor_foundation.strict_yaml import limited
from premotor_runtime.scheduler.contention import ALONE
from premotor_runtime.scheduler.power.temperatures import Heat

STEP_MILLI = 50


@dataclass(frozen=True)
class HeatLimits:
    """`margin_c` before the first trip point the machine counts as hot, and again as cool `hysteresis_c` below that.

    While hot, costs are planned `hot_milli` thousandths of what they are: as if the first step of throttling had come.
    """

    margin_c: float = limited(at_least=0.0, at_most=50.0, default=5.0)
    hysteresis_c: float = limited(at_least=0.0, at_most=50.0, default=3.0)
    hot_milli: int = limited(at_least=1000, at_most=10_000, default=1300)


@dataclass(frozen=True)
class Condition:
    """`memory_mhz`: the memory clock's cap. `slow_milli`: how much longer than in the row of this power mode and memory
    clock work may take, by device, in thousandths. None where the machine does not tell.
    """

    power_mode: str | None
    memory_mhz: float | None
    slow_milli: tuple[tuple[str, int], ...] = ()
    hot: bool = False

    def slowdown_milli(self, device: str) -> int:
        """Of a device's work."""
        return dict(self.slow_milli).get(device, ALONE)


def condition_of(
    board: Board, state: BoardState, heat: Heat, limits: HeatLimits, before: Condition | None = None
) -> Condition:
    """The condition that a reading shows; `before` is the last one, for the hysteresis.

    What cannot be read now is as it was: a file that was missing once changes no plan. Slowdowns are rounded up to the
    next twentieth, so that clocks that waver ask for few plans.
    """
    before = before or Condition(None, None)
    name = state.power_mode or before.power_mode
    hot = _hot(heat, limits, before.hot)
    mode = next((mode for mode in board.power_modes if mode.name == name), None)
    factor, factor_before = (limits.hot_milli if each else ALONE for each in (hot, before.hot))
    slow = []
    for device, capped in _capped(mode, state).items():
        known = -(-before.slowdown_milli(device) * ALONE // factor_before) if capped is None else capped
        slow.append((device, -(-known * factor // ALONE // STEP_MILLI) * STEP_MILLI))
    return Condition(name, state.memory.cap_mhz or before.memory_mhz, tuple(slow), hot)


def _hot(heat: Heat, limits: HeatLimits, was_hot: bool) -> bool:
    if heat.throttling:
        return True
    room = heat.headroom_c
    if room is None:
        return was_hot and not heat.zones
    return room <= limits.margin_c + (limits.hysteresis_c if was_hot else 0.0)


def _capped(mode: PowerMode | None, state: BoardState) -> dict[str, int | None]:
    """By how much clocks are held below those of the power mode, for each device; at least 1000, None: not told."""
    dla = min((clock.cap_mhz for clock in state.dla if clock.cap_mhz), default=None)
    gpu = _ratio(mode.gpu_mhz if mode else None, state.gpu)
    return {
        "cpu": _ratio(mode.cpu_mhz if mode else None, state.cpu),
        "cuda": gpu,
        "tensorrt": gpu,
        "dla": _ratio(mode.dla_mhz if mode else None, Clock(None, dla)),
    }


def _ratio(nominal_mhz: float | None, clock: Clock) -> int | None:
    if not clock.cap_mhz:
        return None
    if nominal_mhz is None or clock.cap_mhz >= nominal_mhz:
        return ALONE
    return -int(-ALONE * nominal_mhz // clock.cap_mhz)
