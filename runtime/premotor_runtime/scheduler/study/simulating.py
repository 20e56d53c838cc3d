"""A plan over its hyperperiod in virtual time: who misses."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from premotor_runtime.scheduler.clustering import Clusters
from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.live import LiveJob
from premotor_runtime.scheduler.plan import Plan, PlannedTask, plan_of
from premotor_runtime.scheduler.recording import Ring
from premotor_runtime.scheduler.slack import FREE
from premotor_runtime.scheduler.task import RANKS, Stream, Task
from premotor_runtime.scheduler.task_set import TaskSet
from premotor_runtime.scheduler.virtual_time import Delays, VirtualExecutor, worst_case

Scene = Literal["together", "just_missed", "varied", "as_given"]
SCENES: tuple[Scene, ...] = ("together", "just_missed", "varied", "as_given")


class Unrecorded(Ring):
    """Keeps nothing."""

    def __init__(self) -> None:
        super().__init__()

    @property
    def full(self) -> bool:
        """Never."""
        return False

    def add(self, kind: int, at_ns: int, who: int = 0, job: int = 0, lane: int = 0, value: int = 0) -> None:
        """Nothing."""


class GreedySteps:
    """A stream that always has work and takes all the time it is given, or the longest step it has."""

    has_work = True

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def step(self, budget_ns: int) -> int:
        """See `StepModel`."""
        return self._stream.longest_ns if budget_ns == FREE else min(budget_ns, self._stream.longest_ns)


@dataclass(frozen=True)
class Misses:
    """Of the hard tasks, and windows of firm ones in which more than k - m were missed."""

    hard: int
    firm_windows: int
    jobs: int


def hyperperiod_ns(task_set: TaskSet) -> int:
    """The least common multiple of the periods."""
    return math.lcm(*(task.period_ns for task in task_set.tasks))


def simulate(plan: Plan, scene: Scene, draw: random.Random) -> Misses:
    """Run all of the hyperperiod, and of the next one where offsets differ.

    `together`: all arrive at 0, inputs at once, worst cases. `just_missed`: what has the longest deadline arrives a
    nanosecond before the rest, whose inputs come as late as they may at first. `varied`: offsets, inputs and durations
    at random (non-preemptive schedules can get worse when work gets shorter). `as_given`: offsets as in the set.
    """
    tasks = plan.task_set.tasks
    offsets = _offsets(plan, scene, draw)
    dispatcher = Dispatcher([_with_offsets(plan, offsets)], Unrecorded())
    durations = worst_case if scene != "varied" else _Varied(draw)
    models = [GreedySteps(stream) for stream in plan.task_set.streams]
    executor = VirtualExecutor(dispatcher, durations, _delays(plan, scene, draw), models)
    length = hyperperiod_ns(plan.task_set)
    executor.run_until(max(offsets) + (length if scene == "together" else 2 * length) + max(t.period_ns for t in tasks))
    counts = [counter.counts() for counter in dispatcher.misses.counters]
    hard = sum(c.misses for c, task in zip(counts, tasks, strict=True) if task.criticality == "hard")
    firm = sum(_broken(count, task) for count, task in zip(counts, tasks, strict=True) if task.criticality == "firm")
    return Misses(hard, firm, sum(count.periods for count in counts))


def _broken(count: Clusters, task: Task) -> int:
    return count.broken_windows if task.k > 1 else count.misses


def _offsets(plan: Plan, scene: Scene, draw: random.Random) -> list[int]:
    tasks = plan.task_set.tasks
    if scene == "together":
        return [0] * len(tasks)
    if scene == "as_given":
        return [task.offset_ns for task in tasks]
    if scene == "varied":
        return [draw.choice((0, 1, draw.randrange(task.period_ns))) for task in tasks]
    least = max(range(len(tasks)), key=lambda n: (RANKS[tasks[n].criticality], tasks[n].deadline_ns))
    return [0 if number == least else 1 for number in range(len(tasks))]


def _delays(plan: Plan, scene: Scene, draw: random.Random) -> Delays:
    jitters = [task.jitter_ns for task in plan.task_set.tasks]
    if scene == "varied":
        return lambda task, job: draw.choice((0, jitters[task], draw.randint(0, jitters[task])))
    if scene == "just_missed":
        return lambda task, job: jitters[task] if job == 0 else 0
    return lambda task, job: 0


class _Varied:
    def __init__(self, draw: random.Random) -> None:
        self._draw = draw

    def __call__(self, job: LiveJob, stage: int, segment: int) -> int:
        worst = worst_case(job, stage, segment)
        return worst if self._draw.random() < 0.5 else int(worst * self._draw.uniform(0.3, 1.0))


def _with_offsets(plan: Plan, offsets: Sequence[int]) -> Plan:
    versions = tuple(
        (replace(each[0], task=replace(each[0].task, offset_ns=offset)),)
        for each, offset in zip(plan.versions, offsets, strict=True)
    )
    return replace(plan, versions=versions)


def first_come_first_served(task_set: TaskSet) -> Plan:
    """The same work in order of arrival, without classes, deadlines or bounds on steps."""
    plan = plan_of(replace(task_set, streams=tuple(replace(each, bounded=False) for each in task_set.streams)))
    return replace(plan, versions=tuple((_in_order(versions[0]),) for versions in plan.versions))


def _in_order(planned: PlannedTask) -> PlannedTask:
    stages = tuple(replace(stage, deadline_ns=0) for stage in planned.stages)
    return replace(planned, task=replace(planned.task, m=1, k=1), rank=0, stages=stages)
