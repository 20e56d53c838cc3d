"""A task set made ready to run: costs inflated by contention, stages with deadlines of their own, lanes by number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from premotor_runtime.scheduler.contention import ALONE
from premotor_runtime.scheduler.errors import BadTask
from premotor_runtime.scheduler.task import RANKS, Segment, Stage, Stream, Task
from premotor_runtime.scheduler.task_set import TaskSet


@dataclass(frozen=True)
class PlannedStage:
    """`costs_ns` are worst cases beside the busiest others. Times count from the job's arrival: the stage is ready at
    `latest_ready_ns` at the latest and must be done at `deadline_ns`, which is also what it is ordered by.
    """

    lane: int
    segments: tuple[Segment, ...]
    costs_ns: tuple[int, ...]
    latest_ready_ns: int
    deadline_ns: int

    @property
    def cost_ns(self) -> int:
        """Worst case beside others."""
        return sum(self.costs_ns)


@dataclass(frozen=True)
class PlannedTask:
    """One version of a task; `number` is its place in the plan."""

    number: int
    task: Task
    rank: int
    stages: tuple[PlannedStage, ...]


@dataclass(frozen=True)
class PlannedStream:
    """`blocking_ns`: how long a release on the lane may have to wait for a step; `slowdown_milli` beside others."""

    number: int
    stream: Stream
    lane: int
    longest_ns: int
    blocking_ns: int
    slowdown_milli: int


@dataclass(frozen=True)
class Plan:
    """`versions[i]` are task i and its smaller versions, for degradation; only the first is what admission judges."""

    task_set: TaskSet
    versions: tuple[tuple[PlannedTask, ...], ...]
    streams: tuple[PlannedStream, ...]

    @property
    def tasks(self) -> tuple[PlannedTask, ...]:
        """The tasks in full."""
        return tuple(versions[0] for versions in self.versions)


def plan_of(task_set: TaskSet) -> Plan:
    """Costs and deadlines for `task_set`; says nothing about whether it can be scheduled."""
    busiest = _busiest(task_set)
    versions = tuple(_versions(number, task, task_set, busiest) for number, task in enumerate(task_set.tasks))
    streams = tuple(_stream(number, each, task_set, busiest) for number, each in enumerate(task_set.streams))
    return Plan(task_set, versions, streams)


def _versions(number: int, task: Task, task_set: TaskSet, busiest: Sequence[int]) -> tuple[PlannedTask, ...]:
    found = [_planned(number, task, task_set, busiest)]
    deadlines = tuple(stage.deadline_ns for stage in found[0].stages)
    smaller = task.smaller
    while smaller is not None and len(smaller.stages) == len(deadlines) and smaller.deadline_ns == task.deadline_ns:
        version = _planned(number, replace(smaller, stage_deadlines_ns=deadlines), task_set, busiest)
        if not _lighter(version, found[0]):
            break
        found.append(version)
        smaller = smaller.smaller
    return tuple(found)


def _lighter(one: PlannedTask, other: PlannedTask) -> bool:
    """Whether `one` may run wherever `other` was admitted: the same stages, none of them heavier or earlier due."""
    same = one.task.period_ns == other.task.period_ns and one.task.jitter_ns == other.task.jitter_ns
    return same and all(map(_no_heavier, one.stages, other.stages))


def _no_heavier(one: PlannedStage, other: PlannedStage) -> bool:
    demand = max(s.demand_mbps for s in one.segments) <= max(s.demand_mbps for s in other.segments)
    return (
        one.lane == other.lane and demand and one.cost_ns <= other.cost_ns and max(one.costs_ns) <= max(other.costs_ns)
    )


def _busiest(task_set: TaskSet) -> list[int]:
    """The largest bandwidth that anything on each lane draws."""
    demands = [0] * len(task_set.lanes)
    for task in task_set.tasks:
        for stage in task.stages:
            lane = task_set.lane_number(stage.lane)
            demands[lane] = max(demands[lane], *(segment.demand_mbps for segment in stage.segments))
    for stream in task_set.streams:
        lane = task_set.lane_number(stream.lane_name)
        demands[lane] = max(demands[lane], stream.demand_mbps)
    return demands


def _planned(number: int, task: Task, task_set: TaskSet, busiest: Sequence[int]) -> PlannedTask:
    costs = [_costs(stage, task_set, busiest) for stage in task.stages]
    deadlines = task.stage_deadlines_ns or deadlines_by(task, [sum(each) for each in costs])
    ready = [task.jitter_ns, *deadlines[:-1]]
    stages = (
        PlannedStage(task_set.lane_number(stage.lane), stage.segments, each, latest, due)
        for stage, each, latest, due in zip(task.stages, costs, ready, deadlines, strict=True)
    )
    return PlannedTask(number, task, RANKS[task.criticality], tuple(stages))


def deadlines_by(task: Task, needs: Sequence[int]) -> tuple[int, ...]:
    """Stage deadlines: each has what it needs and an equal share of the rest; scaled down where that is too much."""
    left, total = task.deadline_ns - task.jitter_ns, sum(needs)
    windows = [need + (left - total) // len(needs) if total <= left else need * left // total for need in needs]
    due = [task.jitter_ns + sum(windows[: at + 1]) for at in range(len(windows))]
    return (*due[:-1], task.deadline_ns)


def _costs(stage: Stage, task_set: TaskSet, busiest: Sequence[int]) -> tuple[int, ...]:
    lane = task_set.lane_number(stage.lane)
    others = sum(busiest) - busiest[lane]
    overhead = task_set.lanes[lane].overhead_ns
    slow = [task_set.contention.slowdown_milli(stage.lane, each.demand_mbps, others) for each in stage.segments]
    return tuple(inflated(each.cost_ns, s) + overhead for each, s in zip(stage.segments, slow, strict=True))


def _stream(number: int, stream: Stream, task_set: TaskSet, busiest: Sequence[int]) -> PlannedStream:
    lane = task_set.lane_number(stream.lane_name)
    others = sum(busiest) - busiest[lane]
    slow = task_set.contention.slowdown_milli(stream.lane_name, stream.demand_mbps, others)
    longest = inflated(stream.longest_ns, slow)
    blocking = min(longest, stream.tolerance_ns) + stream.overrun_ns if stream.bounded else longest
    return PlannedStream(number, stream, lane, longest, blocking, slow)


def inflated(cost_ns: int, slowdown_milli: int) -> int:
    """What takes `cost_ns` alone, rounded up; a nanosecond is added for every rounding in between."""
    if slowdown_milli < ALONE:
        raise BadTask(f"a slowdown of {slowdown_milli} thousandths; it must be at least {ALONE}")
    return cost_ns if slowdown_milli == ALONE else -(-cost_ns * slowdown_milli // ALONE) + 1
