"""What each process of a set-up is, and runs in a slice."""

from __future__ import annotations

import os
import threading
import time
from typing import Protocol

from premotor_runtime.app.awake_core import spin_until, stay_awake
from premotor_runtime.app.bench_realtime.control_part import WARM_UP, ControlPart
from premotor_runtime.app.bench_realtime.llm_part import LlmPart
from premotor_runtime.app.bench_realtime.messages import Found, Ready, RunSlice
from premotor_runtime.app.bench_realtime.settings import (
    BRAIN_BUDGET,
    BRAIN_CORE,
    DEFAULT_BUDGET,
    REFLEX_CORE,
    TIMING,
    RealtimeSettings,
)
from premotor_runtime.app.bench_realtime.witness import Witness
from premotor_runtime.executor.clock import MonotonicClock, PollingClock
from premotor_runtime.executor.rights import take_rights
from premotor_runtime.processes.board import Board

SHARED = "cpu0"
"""The lane of the shared set-up on its board."""
AWAKE_S = 0.001
"""With a core for itself the loop is awake so long before each release."""
_EARLY_S = 0.1
"""So much before the first release the load begins."""


class Part(Protocol):
    """A process of a set-up."""

    ready: Ready

    def run(self, order: RunSlice) -> None:
        """One slice."""
        ...

    def found(self) -> Found:
        """All slices so far."""
        ...


class Naive:
    """One process, one thread, one queue: whatever came first is done first, steps of the engine and control alike.

    Of control jobs that waited for a step only the newest is carried out; the others are missed.
    """

    def __init__(self, settings: RealtimeSettings) -> None:
        self._llm = LlmPart(settings, DEFAULT_BUDGET)
        self._control = ControlPart(_Stepping(self._llm), threaded=False)
        self.ready = Ready(None, self._llm.runner)

    def run(self, order: RunSlice) -> None:
        """The loop waits for its next release by stepping the engine."""
        MonotonicClock().sleep_until(order.start_s)
        start = time.monotonic()
        self._control.run(order.releases, order.counted)
        self._llm.within(start, time.monotonic())

    def found(self) -> Found:
        """Both."""
        return Found(self._control.found(), self._llm.found())


class _Stepping(MonotonicClock):
    """A clock that is waited for by stepping the engine: a step that was begun is ended first, however long it is."""

    def __init__(self, llm: LlmPart) -> None:
        self._llm = llm

    def sleep_until(self, instant_s: float) -> None:
        self._llm.while_waiting(instant_s)

    def sleep_until_ns(self, instant_ns: int) -> None:
        self._llm.while_waiting(instant_ns / 1e9)


class Threads:
    """One process, a thread for control and one for the engine, and nothing between them but the interpreter's lock."""

    def __init__(self, settings: RealtimeSettings) -> None:
        self._llm = LlmPart(settings, DEFAULT_BUDGET)
        self._control = ControlPart(MonotonicClock(), threaded=False)
        self.ready = Ready(None, self._llm.runner)

    def run(self, order: RunSlice) -> None:
        """Both at once; the engine ends its last step."""
        over = threading.Event()
        engine = threading.Thread(target=self._llm.run_free, args=(lambda: not over.is_set(),))
        MonotonicClock().sleep_until(order.start_s - _EARLY_S)
        engine.start()
        MonotonicClock().sleep_until(order.start_s)
        self._control.run(order.releases, order.counted)
        over.set()
        engine.join()

    def found(self) -> Found:
        """Both."""
        return Found(self._control.found(), self._llm.found())


class Reflex:
    """Control in a process of its own, with all rights that it is given; on a board it says when it is next at work."""

    def __init__(self, core: int, board: str | None, idle: bool = False) -> None:
        self._board = None if board is None else Board(board)
        writer = None if self._board is None else self._board.forecast_writer(SHARED)
        clock = MonotonicClock() if board else PollingClock(AWAKE_S)
        self._control = ControlPart(clock, threaded=True, idle=idle, writer=writer)
        self.ready = Ready(take_rights(core, sched_fifo=True))
        self._control.open_lane()

    def run(self, order: RunSlice) -> None:
        """The product's loop."""
        MonotonicClock().sleep_until(order.start_s)
        self._control.run(order.releases, order.counted)

    def found(self) -> Found:
        """Control alone."""
        return Found(control=self._control.found())


class Brain:
    """The engine in a process of its own on its core; with a board, in the time that the reflex leaves."""

    def __init__(self, settings: RealtimeSettings, board: str | None) -> None:
        os.sched_setaffinity(0, {BRAIN_CORE})
        self._llm = LlmPart(settings, BRAIN_BUDGET)
        self._board = None if board is None else Board(board)
        self._forecasts = None if self._board is None else self._board.forecast_reader(SHARED)
        self.ready = Ready(None, self._llm.runner)

    def run(self, order: RunSlice) -> None:
        """Until the last release's period is over."""
        until_s = order.start_s + (WARM_UP + order.releases) * TIMING.period_s
        if self._forecasts is None:
            MonotonicClock().sleep_until(order.start_s - _EARLY_S)
            self._llm.run_free(lambda: time.monotonic() < until_s)
        else:
            MonotonicClock().sleep_until(order.start_s + TIMING.period_s / 2)
            self._llm.run_beside(self._forecasts, until_s)

    def found(self) -> Found:
        """The load alone."""
        return Found(llm=self._llm.found())


class Awake:
    """A process that keeps `core` from idling, as `cores.keep_awake` does."""

    def __init__(self, core: int) -> None:
        self.ready = Ready(None)
        stay_awake(core)

    def run(self, order: RunSlice) -> None:
        """Until the last release's period is over."""
        until_s = order.start_s + (WARM_UP + order.releases) * TIMING.period_s
        spin_until(lambda: time.monotonic() >= until_s)

    def found(self) -> Found:
        """Nothing."""
        return Found()


def naive(settings: RealtimeSettings, board: str) -> Part:
    """For `processes`."""
    return Naive(settings)


def threads(settings: RealtimeSettings, board: str) -> Part:
    """For `processes`."""
    return Threads(settings)


def reflex_beside(settings: RealtimeSettings, board: str) -> Part:
    """For `processes`: on a core of its own."""
    return Reflex(REFLEX_CORE, None)


def reflex_sharing(settings: RealtimeSettings, board: str) -> Part:
    """For `processes`: on the brain's core."""
    return Reflex(BRAIN_CORE, board)


def brain_alone(settings: RealtimeSettings, board: str) -> Part:
    """For `processes`."""
    return Brain(settings, None)


def brain_sharing(settings: RealtimeSettings, board: str) -> Part:
    """For `processes`."""
    return Brain(settings, board)


def idle(settings: RealtimeSettings, board: str) -> Part:
    """For `processes`."""
    return Reflex(REFLEX_CORE, None, idle=True)


def awake_beside(settings: RealtimeSettings, board: str) -> Part:
    """For `processes`: on the reflex's own core."""
    return Awake(REFLEX_CORE)


def witness_beside(settings: RealtimeSettings, board: str) -> Part:
    """For `processes`: on the reflex's own core."""
    return Witness(REFLEX_CORE)


def witness_sharing(settings: RealtimeSettings, board: str) -> Part:
    """For `processes`: on the core that both share."""
    return Witness(BRAIN_CORE)
