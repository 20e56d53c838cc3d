"""What state the machine is in for planning: which profile row holds, and how much slower than its row it may be."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_accelerators.board_state import BoardState, Clock
from premotor_accelerators.boards import Board, PowerMode
from premotor_foundation.strict_yaml import limited
from premotor_runtime.scheduler.contention import ALONE
from premotor_runtime.scheduler.power.temperatures import Heat


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
    """The condition that a reading shows; `before` is the last one, for the hysteresis."""
    mode = next((mode for mode in board.power_modes if mode.name == state.power_mode), None)
    hot = _hot(heat, limits, before is not None and before.hot)
    factor = limits.hot_milli if hot else ALONE
    slow = [(device, capped * factor // ALONE) for device, capped in _capped(mode, state).items()]
    return Condition(state.power_mode, state.memory.cap_mhz, tuple(slow), hot)


def _hot(heat: Heat, limits: HeatLimits, was_hot: bool) -> bool:
    if heat.throttling:
        return True
    room = heat.headroom_c
    return room is not None and room <= limits.margin_c + (limits.hysteresis_c if was_hot else 0.0)


def _capped(mode: PowerMode | None, state: BoardState) -> dict[str, int]:
    """By how much clocks are held below those of the power mode, for each device; at least 1000."""
    dla = min((clock.cap_mhz for clock in state.dla if clock.cap_mhz), default=None)
    gpu = _ratio(mode.gpu_mhz if mode else None, state.gpu)
    return {
        "cpu": _ratio(mode.cpu_mhz if mode else None, state.cpu),
        "cuda": gpu,
        "tensorrt": gpu,
        "dla": _ratio(mode.dla_mhz if mode else None, Clock(None, dla)),
    }


def _ratio(nominal_mhz: float | None, clock: Clock) -> int:
    if nominal_mhz is None or not clock.cap_mhz or clock.cap_mhz >= nominal_mhz:
        return ALONE
    return -int(-ALONE * nominal_mhz // clock.cap_mhz)
