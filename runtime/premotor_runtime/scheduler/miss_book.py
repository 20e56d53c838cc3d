"""Of every task: what was missed, how it clusters, and what the miss ladder says to it."""

from __future__ import annotations

from collections.abc import Sequence

from premotor_runtime.scheduler.clustering import MissCounter
from premotor_runtime.scheduler.miss_ladder import ACTIONS, MissLadder, MissState
from premotor_runtime.scheduler.recording import Kind, Ring
from premotor_runtime.scheduler.task import Task


class MissBook:
    """Verdicts and degradations go to the ring; `deepest` is the last level of the task's versions."""

    def __init__(self, tasks: Sequence[Task], ladder: MissLadder, ring: Ring) -> None:
        self._ladder, self._ring = ladder, ring
        self.states = [MissState()] * len(tasks)
        self.counters = [MissCounter(task.m, task.k) for task in tasks]

    def level(self, number: int) -> int:
        """How far the task is degraded."""
        return self.states[number].level

    def in_time(self, now_ns: int, number: int, job: int, deepest: int) -> None:
        """A job was done by its deadline."""
        self.counters[number].add(False)
        state = self.states[number]
        if state.window or state.level:
            self._judge(now_ns, number, job, False, deepest)

    def missed(self, now_ns: int, number: int, job: int, deepest: int) -> None:
        """A job was not."""
        self.counters[number].add(True)
        self._judge(now_ns, number, job, True, deepest)

    def skipped(self, now_ns: int, number: int, first_job: int, jobs: int, deepest: int) -> None:
        """Jobs whose deadlines had passed when their release was noticed; beyond the fallback they change nothing."""
        self.counters[number].add_run(jobs)
        for offset in range(min(jobs, self._ladder.hold_periods + self._ladder.fallback_periods + 1)):
            self._judge(now_ns, number, first_job + offset, True, deepest)

    def _judge(self, now_ns: int, number: int, job: int, missed: bool, deepest: int) -> None:
        before = self.states[number]
        state = self.states[number] = self._ladder.after(before, missed, deepest)
        if state.level != before.level:
            self._ring.add(Kind.DEGRADE, now_ns, number, job, value=state.level)
        if missed:
            verdict = ACTIONS.index(self._ladder.action(state))
            self._ring.add(Kind.VERDICT, now_ns, number, job, value=verdict)
