"""Lanes: execution resources that run one job at a time and are waited for only until the deadline."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, Protocol, TypeVar

from premotor_runtime.executor.clock import Clock
from premotor_runtime.executor.job import Job, Outcome

Value = TypeVar("Value")


class Lane(Protocol):
    """One execution resource."""

    def run(self, job: Job, work: Callable[[], Value]) -> Outcome[Value]:
        """Run `work`, waiting for it at most until the job's deadline; an exception in `work` becomes a value."""
        ...

    def close(self) -> None:
        """Stop accepting jobs."""
        ...


class ThreadLane:
    """A lane with a worker thread: the caller is back at the deadline even when the computation is not.

    While a late computation still occupies the lane, further jobs miss without being started, so that they cannot
    queue up behind it.
    """

    def __init__(self, name: str, clock: Clock) -> None:
        self._clock = clock
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._late: Future[Any] | None = None

    def run(self, job: Job, work: Callable[[], Value]) -> Outcome[Value]:
        """See `Lane.run`."""
        started = self._clock.now()
        if self._late is not None and not self._late.done():
            return Outcome(job, started, None, None)
        future = self._pool.submit(self._timed, work)
        try:
            value, error, finished = future.result(timeout=max(0.0, job.deadline_s - self._clock.now()))
        except FutureTimeout:
            self._late = future
            return Outcome(job, started, None, None)
        self._late = None
        return _outcome(job, started, finished, value, error)

    def close(self) -> None:
        """Leave the worker to end with the process; a computation cannot be interrupted, and need not be awaited."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _timed(self, work: Callable[[], Value]) -> tuple[Value | None, str, float]:
        value, error = _attempt(work)
        return value, error, self._clock.now()


class InlineLane:
    """A lane on the caller's own thread, for virtual time: `work` moves the clock, and lateness is judged after it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def run(self, job: Job, work: Callable[[], Value]) -> Outcome[Value]:
        """See `Lane.run`."""
        started = self._clock.now()
        value, error = _attempt(work)
        return _outcome(job, started, self._clock.now(), value, error)

    def close(self) -> None:
        """Nothing to stop."""


def _attempt(work: Callable[[], Value]) -> tuple[Value | None, str]:
    try:
        return work(), ""
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


def _outcome(job: Job, started: float, finished: float, value: Value | None, error: str) -> Outcome[Value]:
    return Outcome(job, started, finished, value if finished <= job.deadline_s else None, error)
