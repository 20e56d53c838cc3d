"""What the reflex tells when a plan is over: steps, way, deadlines, and the records of its lane."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import cast

from premotor_runtime.app.messages import ReflexReport
from premotor_runtime.app.motion_task import MotionTask
from premotor_runtime.executor.period_log import Period, PeriodLog
from premotor_runtime.executor.records import Instant, Record, Span
from premotor_runtime.executor.robot import Plant, SimulatedPlant

LANE = "reflex"


def report_of(
    task: MotionTask,
    log: PeriodLog,
    plant: Plant,
    started_s: float,
    now_s: float,
    recording: bytes = b"",
    adaptations: tuple[str, ...] = (),
    page_faults: int = 0,
    deadline_s: float = math.inf,
) -> ReflexReport:
    """The report when the loop has ended, of a plan that was begun at `started_s`, if there was one.

    Control figures are of the whole loop, from its first period on.
    """
    executive = task.executive
    collisions = getattr(plant, "collisions", ())
    truth = None if task.truth_at_start is None else (task.truth_at_start, cast(SimulatedPlant, plant).truth())
    return ReflexReport(
        steps=tuple(executive.records) if executive else (),
        succeeded=executive is not None and executive.succeeded,
        mission_time_s=now_s - started_s,
        collisions=tuple(collisions),
        driven=tuple(task.driven),
        planned=dict(task.planned),
        path_length_m=sum(math.dist(a[1:], b[1:]) for a, b in pairwise(task.driven)),
        ticks=log.ticks,
        misses=log.misses,
        longest_run=log.longest_run,
        lateness_ms=log.lateness_ms(),
        response_ms=log.response_ms(),
        busy_share=_busy_share(log),
        truth=truth,
        records=tuple(_records(log, task.work)),
        errors=(*log.errors, *task.stops),
        clusters=log.clusters,
        recording=recording,
        adaptations=adaptations,
        missed=tuple(period for period in log.periods if period.missed or period.response_s > deadline_s),
        page_faults=page_faults,
    )


def _busy_share(log: PeriodLog) -> float:
    if not log.periods:
        return 0.0
    busy = sum(period.acted_s - period.started_s for period in log.periods)
    return busy / max(1e-9, log.periods[-1].acted_s - log.periods[0].release_s)


def _records(log: PeriodLog, work: Iterable[str]) -> Iterator[Record]:
    for period, label in zip(log.periods, work, strict=False):
        yield from _of_period(period, label)


def _of_period(period: Period, label: str) -> Iterator[Record]:
    yield Span(LANE, "sense", period.started_s, period.sensed_s)
    if label != "rest":
        yield Span(LANE, label, period.sensed_s, period.decided_s)
    yield Span(LANE, "gate", period.decided_s, period.acted_s)
    if period.missed:
        yield Instant(LANE, "deadline missed", period.decided_s)
