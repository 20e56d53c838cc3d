"""A core that never idles: a process of the lowest urgency computes there whenever nothing else does.

A core that rests is slow to come back: it clocks down, and in a virtual machine its host gives it to others.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing.connection import Connection

from premotor_runtime.app.child import Child

_TIMEOUT_S = 60.0
_AT_A_TIME = 20_000


@dataclass(frozen=True)
class _Awake:
    """It has begun."""


class AwakeCore:
    """Keeps `core` awake within the context; None keeps nothing awake. Raises ProcessFailed when it cannot begin.

    Enter it before the reflex begins: to start a process keeps its core busy for tens of milliseconds at a time.
    """

    def __init__(self, core: int | None) -> None:
        self._core, self._stack = core, ExitStack()

    def __enter__(self) -> AwakeCore:
        if self._core is not None and self._core in os.sched_getaffinity(0):
            child = self._stack.enter_context(Child("awake", _main, (self._core,)))
            child.expect(_Awake, _TIMEOUT_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def stay_awake(core: int) -> None:
    """Pin this process to `core` and let it have only what nobody else wants."""
    os.sched_setaffinity(0, {core})
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def spin_until(over: Callable[[], bool]) -> None:
    """Compute until it is `over`, which is asked about every millisecond."""
    while not over():
        for _ in range(_AT_A_TIME):
            pass


def _main(pipe: Connection, core: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stay_awake(core)
    pipe.send(_Awake())
    spin_until(lambda: pipe.poll(0))
