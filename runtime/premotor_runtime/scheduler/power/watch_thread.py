"""A thread of its own for a watch, which gives way to everything else of its process."""

from __future__ import annotations

import contextlib
import os
import threading

from premotor_runtime.scheduler.power.watch import PlanWatch

LOOK_S = 1.0
_NICE = 10


class WatchThread:
    """Lets `watch` look every `period_s`, and at once when a lane hangs, until it is closed."""

    def __init__(self, watch: PlanWatch, period_s: float = LOOK_S) -> None:
        self._watch, self._period_s = watch, period_s
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="plan-watch", daemon=True)

    def __enter__(self) -> WatchThread:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._closed = True
        self._watch.lanes_stuck(())
        self._thread.join(2 * self._period_s)

    def _run(self) -> None:
        _step_back()
        while not self._closed:
            self._watch.wait(self._period_s)


def _step_back() -> None:
    """A new thread inherits SCHED_FIFO from the loop's; where the system does not allow less, it stays as it is."""
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
