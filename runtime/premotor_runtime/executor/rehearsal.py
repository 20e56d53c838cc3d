"""What a period of the control task costs, measured on its own lane before the loop starts."""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from premotor_runtime.executor.control_task import ControlTask
from premotor_runtime.executor.lane import Ended, Lane
from premotor_runtime.scheduler.costs import SAFETY_MILLI
from premotor_runtime.scheduler.errors import ProfileMissing

ROUNDS = 20
WARM_UP = 3


def rehearse(
    task: ControlTask[Any, Any],
    lane: Lane,
    rounds: int = ROUNDS,
    spent_ns: Callable[[], int] = time.thread_time_ns,
    safety_milli: int = SAFETY_MILLI,
) -> tuple[int, ...]:
    """The worst case of `task.decide` by level, in nanoseconds: the longest of `rounds` rehearsals, and a margin.

    Counted is the processor's time of the lane's thread, so that what else happens while the machine starts up is not
    taken for work of this task. Raises ProfileMissing when a rehearsal fails.
    """
    return tuple(_level(task, lane, level, rounds, spent_ns, safety_milli) for level in range(task.levels + 1))


def _level(
    task: ControlTask[Any, Any], lane: Lane, level: int, rounds: int, spent_ns: Callable[[], int], safety_milli: int
) -> int:
    longest = 0

    def measure() -> None:
        nonlocal longest
        for number in range(WARM_UP + rounds):
            before = spent_ns()
            task.rehearse(level)
            longest = max(longest, spent_ns() - before) if number >= WARM_UP else 0

    ended: SimpleQueue[Ended] = SimpleQueue()
    lane.begin(measure, 0, ended)
    found = ended.get()
    if found.error:
        raise ProfileMissing(f"the control task could not be measured at level {level}: {found.error}; mend that first")
    return max(1, longest * safety_milli // 1000)
