"""A witness on a core: the most urgent thread there, which notes when the core did not run it.

What keeps it from running is not the scheduler under test, for nothing of that is more urgent: it is the machine, such
as a hypervisor that gives the core to others.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from premotor_runtime.executor.rights import Rights, take_rights

LOOK_S = 0.004
"""Between two looks. Each costs the core two changes of process: 2 ms were a tenth of a control period of 2.5 ms."""
_NOTED_S = 0.001
_URGENT = 80


@dataclass(frozen=True)
class Stall:
    """A core did not run the most urgent of its threads."""

    start_s: float
    end_s: float


def most_urgent_on(core: int) -> Rights:
    """Take the rights of a real-time process, and a higher priority than any; without them a witness sees nothing."""
    rights = take_rights(core, sched_fifo=True)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_URGENT))
    return rights


def stalls_until(over: Callable[[float], bool], from_s: float) -> tuple[Stall, ...]:
    """Look at the clock every `LOOK_S`, from `from_s` on, until it is `over`: stalls of a millisecond and more."""
    stalls = []
    due_s = from_s
    while not over(due_s):
        time.sleep(max(0.0, due_s - time.monotonic()))
        now_s = time.monotonic()
        if now_s - due_s > _NOTED_S:
            stalls.append(Stall(due_s, now_s))
        due_s = max(due_s, now_s - LOOK_S) + LOOK_S
    return tuple(stalls)


def withheld_s(stalls: Iterable[Stall], start_s: float, end_s: float) -> float:
    """For how long of the time between two instants a core did not run its witness."""
    return sum(max(0.0, min(each.end_s, end_s) - max(each.start_s, start_s)) for each in stalls)
