"""The control loop as the set-ups run it: the product's loop over the benchmark's task."""

from __future__ import annotations

import time
from typing import Any

from premotor_runtime.app.bench_realtime.control_task import BenchTask, IdleTask
from premotor_runtime.app.bench_realtime.control_work import ControlWork
from premotor_runtime.app.bench_realtime.messages import ControlFound
from premotor_runtime.app.bench_realtime.scene import cast_scene
from premotor_runtime.app.bench_realtime.settings import TIMING
from premotor_runtime.app.bench_realtime.statistics import Grid
from premotor_runtime.executor.clock import MonotonicClock, PollingClock
from premotor_runtime.executor.control_loop import ControlLoop
from premotor_runtime.executor.lane import InlineLane, Lane, ThreadLane
from premotor_runtime.executor.period_log import PeriodLog
from premotor_runtime.processes.forecasts import ForecastWriter
from premotor_runtime.processes.publisher import ForecastPublisher
from premotor_runtime.scheduler.miss_ladder import MissLadder

_REHEARSALS = 30
WARM_UP = 25
"""Releases at the start of a slice that are not counted: the set-up's processes have rested while others ran."""


class ControlPart:
    """A loop with its log. `clock` may do other work while the loop waits; a `threaded` lane is the product's.

    Raises CompileRefused and BuildError.
    """

    def __init__(
        self, clock: MonotonicClock, threaded: bool, idle: bool = False, writer: ForecastWriter | None = None
    ) -> None:
        self._log, self._clock = PeriodLog(), clock
        self._threaded = threaded
        self._lane: Lane = InlineLane(clock)
        self._task = IdleTask(self._log) if idle else _bench_task(clock, self._log)
        self._listener = None if writer is None else ForecastPublisher([writer])
        self._grids: list[Grid] = []
        self._cpu_s = self._wall_s = 0.0

    def open_lane(self) -> None:
        """Begin the lane's thread: it gets the rights that the calling thread has."""
        if self._threaded:
            self._lane = ThreadLane("reflex", self._clock)

    def run(self, releases: int, counted: bool = True) -> None:
        """One slice: a release at once, `WARM_UP` that are not counted, then so many that are, where any is."""
        cpu, wall = self._spent_s(), self._clock.now()
        self._task.begin(WARM_UP + releases)
        loop = ControlLoop[Any, Any](
            self._task, self._lane, TIMING, MissLadder(), self._clock, self._log, listener=self._listener
        )
        before = len(self._log.periods)
        loop.run()
        if not counted:
            self._forget_stalls()
            return
        first_s = self._log.periods[before].release_s
        self._grids.append(Grid(first_s + WARM_UP * TIMING.period_s, releases, TIMING.period_s))
        self._cpu_s += self._spent_s() - cpu
        self._wall_s += self._clock.now() - wall

    def _forget_stalls(self) -> None:
        if isinstance(self._clock, PollingClock):
            self._clock.longest_stall_ns = 0

    def _spent_s(self) -> float:
        """The processor's time of this process, but for waiting awake."""
        polled_ns = self._clock.polled_ns if isinstance(self._clock, PollingClock) else 0
        return time.process_time() - polled_ns * 1e-9

    def found(self) -> ControlFound:
        """So far."""
        log, task = self._log, self._task
        stall_ns = self._clock.longest_stall_ns if isinstance(self._clock, PollingClock) else 0
        return ControlFound(
            tuple(self._grids), tuple(log.periods), self._cpu_s, self._wall_s, tuple(log.errors),
            task.commands, task.sum_v_mps, stall_ns * 1e-9,
        )  # fmt: skip


def _bench_task(clock: MonotonicClock, log: PeriodLog) -> BenchTask:
    """With everything touched once that a period touches."""
    task = BenchTask(ControlWork(TIMING.period_s), cast_scene(TIMING.period_s), clock, log)
    for _ in range(_REHEARSALS):
        task.rehearse(0)
    return task
