"""A thread of its own for a watch, behind the loop that it watches for."""

from __future__ import annotations

import threading

from premotor_runtime.executor.rights import give_way
from premotor_runtime.scheduler.power.watch import PlanWatch

LOOK_S = 1.0


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
        give_way(2)
        while not self._closed:
            self._watch.wait(self._period_s)
