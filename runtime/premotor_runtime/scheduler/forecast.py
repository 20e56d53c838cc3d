"""What one process tells another of its lanes, so that the other's steps stay out of the way."""

from __future__ import annotations

from typing import NamedTuple

from premotor_runtime.scheduler.dispatcher import Dispatcher


class LaneForecast(NamedTuple):
    """Of one lane, in scheduler time: what `slack.step_ns` needs, and how long the next jobs take at most.

    `next_release_ns`: None when nothing of this process uses the lane. `expected_ns`: of what waits and comes next.
    """

    lane: str
    free_at_ns: int
    next_release_ns: int | None
    expected_ns: int


def forecast(dispatcher: Dispatcher) -> tuple[LaneForecast, ...]:
    """For every lane, now."""
    specs = dispatcher.plan.task_set.lanes
    return tuple(_of_lane(dispatcher, number, spec.name) for number, spec in enumerate(specs))


def _of_lane(dispatcher: Dispatcher, lane: int, name: str) -> LaneForecast:
    release = dispatcher.next_release_ns(lane)
    tasks = dispatcher.plan.tasks
    due = [task for task in tasks if dispatcher.next_arrival_ns[task.number] == release]
    expected = sum(stage.cost_ns for task in due for stage in task.stages if stage.lane == lane)
    waiting = [job.planned.stages[job.stage] for job in dispatcher.ready if job.lane == lane]
    expected += sum(stage.cost_ns for stage in waiting)
    return LaneForecast(name, dispatcher.lanes[lane].free_at_ns, release, expected)
