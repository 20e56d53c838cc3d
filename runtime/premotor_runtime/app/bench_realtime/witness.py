"""A witness on a core: the most urgent thread there, which notes when the core did not run it.

What keeps it from running is not the scheduler under test, for nothing of that is more urgent: it is the machine, such
as a hypervisor that gives the core to others.
"""

from __future__ import annotations

import contextlib
import os
import time

from premotor_runtime.app.bench_realtime.control_part import WARM_UP
from premotor_runtime.app.bench_realtime.messages import Found, Ready, RunSlice
from premotor_runtime.app.bench_realtime.settings import TIMING
from premotor_runtime.app.bench_realtime.statistics import Stall
from premotor_runtime.executor.rights import Rights, take_rights

LOOK_S = 0.002
"""Between two looks; each takes some hundredth of that."""
_NOTED_S = 0.001
_URGENT = 80


class Witness:
    """A process that looks at the clock on `core`. Without the right to be the most urgent it sees nothing."""

    def __init__(self, core: int) -> None:
        self.ready = Ready(_most_urgent(take_rights(core, sched_fifo=True)))
        self._stalls: list[Stall] = []

    def run(self, order: RunSlice) -> None:
        """Look until the last release's period is over."""
        if self.ready.rights is None or not self.ready.rights.sched_fifo:
            return
        due_s, until_s = order.start_s, order.start_s + (WARM_UP + order.releases) * TIMING.period_s
        while due_s < until_s:
            time.sleep(max(0.0, due_s - time.monotonic()))
            now_s = time.monotonic()
            if now_s - due_s > _NOTED_S and order.counted:
                self._stalls.append(Stall(due_s, now_s))
            due_s = max(due_s, now_s - LOOK_S) + LOOK_S

    def found(self) -> Found:
        """Stalls of a millisecond and more."""
        return Found(stalls=tuple(self._stalls))


def _most_urgent(rights: Rights) -> Rights:
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_URGENT))
    return rights
