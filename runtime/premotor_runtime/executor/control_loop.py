"""The loop of a robot. A period: sense, decide by the deadline, guard, act; decided by the scheduler's dispatcher."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic

from premotor_runtime.executor.clock import ExactClock
from premotor_runtime.executor.control_period import ControlPeriod
from premotor_runtime.executor.control_plan import ControlTiming, control_task_set
from premotor_runtime.executor.control_task import Command, ControlTask, NobodyListens, Observation, PeriodListener
from premotor_runtime.executor.lane import Lane
from premotor_runtime.executor.period_log import PeriodLog
from premotor_runtime.executor.realtime import RealtimeExecutor
from premotor_runtime.scheduler.admission import admit_or_raise
from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.miss_ladder import MissLadder
from premotor_runtime.scheduler.perfetto import perfetto
from premotor_runtime.scheduler.power.watch import PlanWatch
from premotor_runtime.scheduler.record_file import dump, load
from premotor_runtime.scheduler.recording import PAGES, Ring

__all__ = ["ControlLoop", "ControlTask", "ControlTiming"]


class ControlLoop(Generic[Observation, Command]):
    """Runs a control task at a fixed rate on absolute releases, so that lateness never accumulates.

    Admitted before anything moves: `profile` are the worst cases of deciding in nanoseconds by level (see
    `rehearsal.rehearse`), `watch` plans by the state of the board instead. Raises NotSchedulable, or DeadlineTooShort,
    with a reason and a remedy.
    """

    def __init__(
        self,
        task: ControlTask[Observation, Command],
        lane: Lane,
        timing: ControlTiming,
        ladder: MissLadder,
        clock: ExactClock,
        log: PeriodLog,
        *,
        profile: Sequence[int] | None = None,
        listener: PeriodListener | None = None,
        watch: PlanWatch | None = None,
        pages: int = PAGES,
    ) -> None:
        self._task, self._lane, self._ladder, self._clock, self._log = task, lane, ladder, clock, log
        self._listener, self._watch = listener or NobodyListens(), watch
        wanted = control_task_set(timing, task.levels, profile)
        self._plan = admit_or_raise(wanted) if watch is None else watch.first_plan()
        self._ring = Ring(pages)
        self._dispatcher: Dispatcher | None = None

    def run(self) -> None:
        """Loop until the task is finished. A release whose deadline passed before it was seen counts as missed."""
        if self._task.finished:
            return
        self._dispatcher = dispatcher = Dispatcher([self._plan], self._ring, self._ladder, self._clock.now_ns())
        executor = RealtimeExecutor(dispatcher, self._clock, [self._lane], changes=self._watch)
        period = ControlPeriod(
            self._task, dispatcher, self._log, self._listener, executor.now_ns,
            lambda at_ns: executor.raw_ns(at_ns) / 1e9, lambda: self._watch.halted if self._watch else "",
        )  # fmt: skip
        executor.workers.append(period)
        while not period.finished:
            executor.turn()

    def recording(self) -> bytes:
        """The compact record of the newest part of the run (see `scheduler.record_file`); empty before it."""
        return dump(self._dispatcher) if self._dispatcher is not None else b""


def schedule_json(recording: bytes) -> str:
    """A compact record as Perfetto's JSON. Raises BadRecord."""
    loaded = load(recording)
    return perfetto(loaded.task_sets[0], loaded.records())
