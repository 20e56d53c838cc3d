"""A witness on the reflex's core while a robot drives."""

from __future__ import annotations

import signal
import time
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing.connection import Connection

from premotor_runtime.app.child import Child
from premotor_runtime.app.core_witness import Stall, most_urgent_on, stalls_until

_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class _Looks:
    """It does from now on, as far as it may."""


@dataclass(frozen=True)
class _Enough:
    """Say what was seen."""


@dataclass(frozen=True)
class _Seen:
    stalls: tuple[Stall, ...] | None


class CoreWatch:
    """Looks from the entry of the context on; at no core, and never, where the reflex has none of its own.

    Enter it before the reflex begins: to start a process keeps its core busy for tens of milliseconds at a time. Raises
    ProcessFailed when there is no witness.
    """

    def __init__(self, core: int | None) -> None:
        self._core, self._stack = core, ExitStack()
        self._witness: Child | None = None

    def __enter__(self) -> CoreWatch:
        if self._core is not None:
            self._witness = self._stack.enter_context(Child("witness", _main, (self._core,)))
            self._witness.expect(_Looks, _TIMEOUT_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def stalls(self) -> tuple[Stall, ...] | None:
        """All of them, once; None where nobody could look. Raises ProcessFailed when the witness is gone."""
        if self._witness is None:
            return None
        self._witness.send(_Enough())
        found: _Seen = self._witness.expect(_Seen, _TIMEOUT_S)
        return found.stalls


def _main(pipe: Connection, core: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    allowed = most_urgent_on(core).sched_fifo
    pipe.send(_Looks())
    stalls = stalls_until(lambda _: pipe.poll(0), time.monotonic()) if allowed else None
    pipe.recv()
    pipe.send(_Seen(stalls))
