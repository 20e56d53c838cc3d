"""The control task as the scheduler sees it: one hard task, with a smaller version for each level of degradation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from premotor_foundation.strict_yaml import limited
from premotor_runtime.scheduler.errors import BadTask
from premotor_runtime.scheduler.task import Route, Segment, Stage, Task
from premotor_runtime.scheduler.task_set import LaneSpec, TaskSet

LANE = "reflex"


@dataclass(frozen=True)
class ControlTiming:
    """Period and deadline of the control job; the deadline counts from the release.

    Of the time to the deadline, `sense_share` is set aside for fetching state and scan before anything is decided.
    """

    rate_hz: float = limited(at_least=1.0, at_most=200.0, default=20.0)
    deadline_ms: float = limited(above=0.0, at_most=1000.0, default=40.0)
    sense_share: float = limited(above=0.0, at_most=0.9, default=0.25)

    def __post_init__(self) -> None:
        """Refuse a deadline beyond the period: the next release would find this one unfinished by design."""
        if self.deadline_ms > self.period_s * 1e3:
            raise ValueError(
                f"`deadline_ms` is {self.deadline_ms:g}; it must be at most the period, {self.period_s * 1e3:g} ms"
            )

    @property
    def period_s(self) -> float:
        """Seconds from one release to the next."""
        return 1.0 / self.rate_hz

    @property
    def period_ns(self) -> int:
        """The same in whole nanoseconds."""
        return round(1e9 / self.rate_hz)

    @property
    def deadline_ns(self) -> int:
        """From the release."""
        return min(round(self.deadline_ms * 1e6), self.period_ns)

    @property
    def sense_ns(self) -> int:
        """At most from the release to the newest observation."""
        return int(self.deadline_ns * self.sense_share)


def control_task_set(timing: ControlTiming, levels: int, profile: Sequence[int] | None = None) -> TaskSet:
    """The task `control` on the lane `reflex`, its input the observation.

    `profile` are the worst cases of deciding in nanoseconds, one for each of the levels 0 to `levels`; without one, all
    the time from the observation to the deadline is set aside for each. Raises BadTask for a profile of another length.
    """
    whole = max(1, timing.deadline_ns - timing.sense_ns)
    costs = [whole] * (levels + 1) if profile is None else list(accumulate(profile, min))
    if len(costs) != levels + 1:
        raise BadTask(f"the profile has {len(costs)} levels, the control task {levels + 1}; measure each of them")
    task: Task | None = None
    for level in range(levels, -1, -1):
        segment = Segment("decide" if level == 0 else f"decide at level {level}", max(1, costs[level]))
        routes = (Route((Stage(LANE, (segment,)),)),)
        task = Task("control", "hard", timing.period_ns, timing.deadline_ns, routes,
                    jitter_ns=timing.sense_ns, smaller=task)  # fmt: skip
    assert task is not None
    return TaskSet((LaneSpec(LANE),), (task,))


def level_of(task: Task, levels: int) -> int:
    """How far a version of a task with `levels` smaller ones is degraded."""
    left, smaller = 0, task.smaller
    while smaller is not None:
        left, smaller = left + 1, smaller.smaller
    return levels - left
