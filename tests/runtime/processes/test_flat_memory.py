"""The loop's memory does not grow with its periods: what it publishes and logs lies in memory that is taken once."""

from __future__ import annotations

import tracemalloc

from premotor_runtime.executor.clock import VirtualClock
from premotor_runtime.executor.control_loop import ControlLoop
from premotor_runtime.executor.control_plan import ControlTiming
from premotor_runtime.executor.lane import InlineLane
from premotor_runtime.executor.period_log import PeriodLog
from premotor_runtime.processes.board import OwnedBoard
from premotor_runtime.processes.layout import BoardLayout
from premotor_runtime.processes.publisher import ForecastPublisher
from premotor_runtime.scheduler.forecast import LaneForecast
from premotor_runtime.scheduler.miss_ladder import MissLadder

WARM_UP, PERIODS, MOST_BYTES = 2000, 4000, 16_384
"""A single object kept a period would be 4,000 times 28 bytes at least."""


class Counting:
    levels = 0

    def __init__(self, clock: VirtualClock) -> None:
        self._clock, self.periods, self.held = clock, 0, [0, 0]

    @property
    def finished(self) -> bool:
        return self.periods >= WARM_UP + PERIODS

    def sense(self, elapsed_s: float) -> float:
        return elapsed_s

    def decide(self, observation: float, level: int) -> float:
        self._clock.spend(0.005)
        return observation

    def rehearse(self, level: int) -> None:
        return

    def hold_shifted(self, observation: float, periods: int) -> float:
        return observation

    def brake(self, observation: float) -> float:
        return 0.0

    fallback = brake

    def guard(self, observation: float, command: float) -> float:
        return command

    def act(self, command: float) -> None:
        self.periods += 1
        if self.periods in (WARM_UP, WARM_UP + PERIODS - 1):
            self.held[self.periods > WARM_UP] = tracemalloc.get_traced_memory()[0]

    def prepare(self) -> None:
        return


def test_a_published_loop_grows_by_nothing() -> None:
    clock = VirtualClock(100.0)
    task = Counting(clock)
    with OwnedBoard(BoardLayout(("core",))) as board:
        publisher = ForecastPublisher([board.forecast_writer("core")], board.heartbeat_writer("reflex"))
        loop = ControlLoop(
            task, InlineLane(clock), ControlTiming(50.0, 20.0), MissLadder(), clock, PeriodLog(1000),
            listener=publisher, pages=4,
        )  # fmt: skip
        tracemalloc.start()
        loop.run()
        tracemalloc.stop()
        forecast = board.forecast_reader("core").read().lane
        beats = board.heartbeat_reader("reflex").read().counter
    assert task.held[1] - task.held[0] < MOST_BYTES
    assert beats == 2 * (WARM_UP + PERIODS)
    assert isinstance(forecast, LaneForecast)
    assert forecast.next_release_ns is not None
    assert forecast.next_release_ns - forecast.free_at_ns == 15_000_000
