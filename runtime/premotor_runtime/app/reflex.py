"""The reflex process: holds still from its first period on, carries out one plan, stops, and reports.

No torch, memory locked, garbage collector frozen, core pinned and SCHED_FIFO where permitted. The loop ends when the
plan is over, when it is told to, or when the supervisor is gone; always with the robot brought to a stop first.
"""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from premotor_foundation.errors import EXIT_FAILED, PremotorError
from premotor_runtime.app.executive import Executive
from premotor_runtime.app.messages import Execute, Failed, Progress, ReflexReady, Shutdown, Stop
from premotor_runtime.app.motion_kit import MotionKit, build_motion, read_surroundings
from premotor_runtime.app.motion_task import MotionTask
from premotor_runtime.app.outbox import Outbox
from premotor_runtime.app.reflex_report import report_of
from premotor_runtime.app.settings import RuntimeSettings
from premotor_runtime.executor.clock import MonotonicClock
from premotor_runtime.executor.control_loop import ControlLoop
from premotor_runtime.executor.lane import ThreadLane
from premotor_runtime.executor.period_log import PeriodLog
from premotor_runtime.executor.rights import take_rights
from premotor_runtime.executor.robot import Observation, Plant

PROGRESS_EVERY = 4
"""Periods between two progress messages."""


def main(pipe: Connection, world: Path, settings: RuntimeSettings, make_plant: Callable[[], Plant], seed: int) -> None:
    """Entry of the process. Interrupts are the supervisor's to handle: it sends Stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _Reflex(pipe, build_motion(read_surroundings(world, settings), seed), settings, make_plant()).run()
    except PremotorError as error:
        pipe.send(Failed(str(error), error.exit_code))
    except Exception:
        pipe.send(Failed(f"the reflex process failed:\n{traceback.format_exc()}", EXIT_FAILED))


class _Reflex:
    def __init__(self, pipe: Connection, kit: MotionKit, settings: RuntimeSettings, plant: Plant) -> None:
        self._pipe, self._kit, self._settings, self._plant = pipe, kit, settings, plant
        self._clock = MonotonicClock()
        self._log = PeriodLog()
        self._task = _Attended(self._attend, plant, kit, self._clock)
        self._outbox = Outbox(pipe)
        self._started_s: float | None = None
        self._wanted = True

    def run(self) -> None:
        rights = take_rights(self._settings.cores.reflex, self._settings.cores.sched_fifo)
        lane = ThreadLane("reflex", self._clock)
        loop = ControlLoop(self._task, lane, self._settings.control, self._settings.miss_policy, self._clock, self._log)
        self._outbox.offer(ReflexReady(rights))
        loop.run()
        ended_s = self._clock.now()
        lane.close()
        report = report_of(self._task, self._log, self._plant, self._started_s or ended_s, ended_s)
        self._outbox.close(report if self._wanted else None)

    def _attend(self) -> None:
        """Once a period, before anything is decided: take orders, tell how it goes."""
        self._take_orders()
        executive = self._task.executive
        if executive is None:
            return
        if executive.finished:
            self._task.ended = True
        elif self._log.ticks % PROGRESS_EVERY == 0:
            self._outbox.offer(
                Progress(executive.current, self._task.speed_mps, self._task.remaining_m, self._log.misses)
            )

    def _progress(self, executive: Executive) -> Progress:
        return Progress(executive.current, self._task.speed_mps, self._task.remaining_m, self._log.misses)

    def _take_orders(self) -> None:
        try:
            while self._pipe.poll(0):
                self._obey(self._pipe.recv())
        except (EOFError, OSError):
            self._abandon("the supervisor is gone")

    def _obey(self, order: object) -> None:
        if isinstance(order, Execute):
            dock = next((p.name for p in self._kit.surroundings.world.places if p.kind == "dock"), None)
            self._started_s = self._clock.now()
            self._task.executive = Executive(order.plan, self._kit.goal_of, dock)
        elif isinstance(order, Stop):
            self._end(order.reason)
        elif isinstance(order, Shutdown):
            self._abandon("shut down")

    def _abandon(self, reason: str) -> None:
        self._wanted = False
        self._end(reason)

    def _end(self, reason: str) -> None:
        self._plant.cancel_skill()
        if self._task.executive is not None:
            self._task.executive.stop(self._clock.now(), reason)
        self._task.ended = True


class _Attended(MotionTask):
    """The motion task with a look at the orders at the start of every period."""

    def __init__(self, attend: Callable[[], None], plant: Plant, kit: MotionKit, clock: MonotonicClock) -> None:
        super().__init__(plant, kit, clock)
        self._attend = attend

    def sense(self, elapsed_s: float) -> Observation:
        observation = super().sense(elapsed_s)
        self._attend()
        return observation
