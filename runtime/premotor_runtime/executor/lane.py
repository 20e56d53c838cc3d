"""Lanes: execution resources that do one thing after the other, while the loop goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import NamedTuple, Protocol

from premotor_runtime.executor.clock import ExactClock
from premotor_runtime.executor.rights import give_way

Work = Callable[[], object]


class Ended(NamedTuple):
    """What a piece of work on lane number `lane` came to, at `at_ns` on the lane's clock.

    One that raised has no `value`, and `error` holds the sentence.
    """

    lane: int
    at_ns: int
    value: object
    error: str


class Lane(Protocol):
    """One execution resource."""

    def begin(self, work: Work, number: int, ended: SimpleQueue[Ended]) -> None:
        """Do `work` behind what was begun before, and put what it came to into `ended` with the lane's `number`."""
        ...

    def close(self) -> None:
        """Begin nothing more."""
        ...


class ThreadLane:
    """A lane with a thread of its own: the loop goes on whatever the work does. It takes no memory while it runs.

    The thread has the rights of the one that makes it, but gives way to it on the same core. It ends with the process
    when its work never does: a computation cannot be interrupted.
    """

    def __init__(self, name: str, clock: ExactClock) -> None:
        self._clock = clock
        self._begun: SimpleQueue[tuple[Work, int, SimpleQueue[Ended]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def begin(self, work: Work, number: int, ended: SimpleQueue[Ended]) -> None:
        """See `Lane.begin`."""
        self._begun.put((work, number, ended))

    def close(self) -> None:
        """What was begun is still done, but nobody waits for it."""
        self._begun.put(None)

    def _run(self) -> None:
        give_way()
        while (begun := self._begun.get()) is not None:
            work, number, ended = begun
            ended.put(_done(work, number, self._clock))


class InlineLane:
    """A lane on the loop's own thread, for virtual time: `work` moves the clock, and lateness is judged after it."""

    def __init__(self, clock: ExactClock) -> None:
        self._clock = clock

    def begin(self, work: Work, number: int, ended: SimpleQueue[Ended]) -> None:
        """See `Lane.begin`: it is done when this returns."""
        ended.put(_done(work, number, self._clock))

    def close(self) -> None:
        """Nothing to stop."""


def _done(work: Work, number: int, clock: ExactClock) -> Ended:
    try:
        value = work()
        return Ended(number, clock.now_ns(), value, "")
    except Exception as error:
        return Ended(number, clock.now_ns(), None, f"{type(error).__name__}: {error}")
