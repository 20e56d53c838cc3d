"""The reflex process: holds still from its first period on, carries out one plan, stops, and reports.

No torch, memory locked, garbage collector frozen, core pinned and SCHED_FIFO where permitted. Its releases are on the
board for the brain to keep clear of. The loop ends when the plan is over, when it is told to, when the supervisor is
gone, or, where that is the policy, when the brain is; always with the robot brought to a stop first.
"""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from premotor_foundation.errors import EXIT_FAILED, PremotorError
from premotor_runtime.app.attending import Attended, Orders
from premotor_runtime.app.board_watch import watch_for, watching
from premotor_runtime.app.core_sharing import LANE, share_a_core
from premotor_runtime.app.executive import Executive
from premotor_runtime.app.messages import Failed, Progress, ReflexReady
from premotor_runtime.app.motion_kit import MotionKit, build_motion, read_surroundings
from premotor_runtime.app.outbox import Outbox
from premotor_runtime.app.reflex_report import report_of
from premotor_runtime.app.settings import Cores, RuntimeSettings
from premotor_runtime.executor.clock import MonotonicClock, PollingClock
from premotor_runtime.executor.control_loop import ControlLoop
from premotor_runtime.executor.lane import ThreadLane
from premotor_runtime.executor.period_log import PeriodLog
from premotor_runtime.executor.rehearsal import rehearse
from premotor_runtime.executor.rights import take_rights
from premotor_runtime.executor.robot import Plant
from premotor_runtime.processes.board import Board
from premotor_runtime.processes.memory_use import page_faults
from premotor_runtime.processes.publisher import ForecastPublisher

PROGRESS_EVERY_S = 0.2
"""Between two progress messages."""


def main(
    pipe: Connection,
    world: Path,
    settings: RuntimeSettings,
    make_plant: Callable[[], Plant],
    seed: int,
    board_name: str,
) -> None:
    """Entry of the process. Interrupts are the supervisor's to handle: it sends Stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Board(board_name) as board:
            kit = build_motion(read_surroundings(world, settings), seed)
            _Reflex(pipe, kit, settings, make_plant(), board).run()
    except PremotorError as error:
        pipe.send(Failed(str(error), error.exit_code))
    except Exception:
        pipe.send(Failed(f"the reflex process failed:\n{traceback.format_exc()}", EXIT_FAILED))


class _Reflex:
    def __init__(self, pipe: Connection, kit: MotionKit, settings: RuntimeSettings, plant: Plant, board: Board) -> None:
        self._settings, self._plant, self._board = settings, plant, board
        self._clock = _clock_for(settings.cores)
        self._log = PeriodLog()
        self._outbox = Outbox(pipe)
        self._task = Attended(self._attend, plant, kit, self._clock)
        self._orders = Orders(pipe, board, self._task, kit, settings.supervision, self._clock)
        self._told_s = 0.0

    def run(self) -> None:
        settings = self._settings
        rights = take_rights(settings.cores.reflex, settings.cores.sched_fifo)
        self._outbox.start()
        lane = ThreadLane("reflex", self._clock)
        profile = rehearse(self._task, lane)
        watch = watch_for(settings.board, settings.control, self._task.levels, profile)
        publisher = ForecastPublisher(
            [self._board.forecast_writer(LANE)], self._board.heartbeat_writer("reflex"), first_ns=profile[0]
        )
        loop = ControlLoop(
            self._task, lane, settings.control, settings.miss_policy, self._clock, self._log,
            profile=profile, listener=publisher, watch=watch,
        )  # fmt: skip
        self._outbox.offer(ReflexReady(rights))
        pages = page_faults()
        with watching(watch):
            loop.run()
        pages = page_faults() - pages
        ended_s = self._clock.now()
        publisher.withdraw(time.monotonic_ns())
        lane.close()
        started_s = self._orders.started_s or ended_s
        news = () if watch is None else tuple(watch.news)
        report = report_of(
            self._task, self._log, self._plant, started_s, ended_s, loop.recording(), news, pages,
            settings.control.deadline_ms * 1e-3,
        )  # fmt: skip
        self._outbox.close(report if self._orders.report_wanted else None)

    def _attend(self) -> None:
        """Once a period, before anything is decided: take orders, tell how it goes."""
        self._orders.take()
        executive = self._task.executive
        if executive is None:
            return
        if executive.finished:
            self._task.ended = True
        elif self._clock.now() - self._told_s >= PROGRESS_EVERY_S:
            self._told_s = self._clock.now()
            self._outbox.offer(self._progress(executive))

    def _progress(self, executive: Executive) -> Progress:
        return Progress(executive.current, self._task.speed_mps, self._task.remaining_m, self._log.misses)


def _clock_for(cores: Cores) -> MonotonicClock:
    alone = not share_a_core(cores, frozenset(os.sched_getaffinity(0)))
    return PollingClock(cores.awake_ms / 1e3) if alone and cores.awake_ms > 0.0 else MonotonicClock()
