"""Random task sets with small hyperperiods, over everything that admission has to deal with."""

from __future__ import annotations

import random
from collections.abc import Sequence

from premotor_runtime.executor.job import Criticality
from premotor_runtime.scheduler.contention import Contention, Sensitivity
from premotor_runtime.scheduler.task import Route, Segment, Stage, Stream, Task
from premotor_runtime.scheduler.task_set import LaneSpec, TaskSet, too_short

MS = 1_000_000
US = 1_000
PERIODS_MS = ((5, 10, 20, 40), (4, 6, 8, 12, 24), (10, 20, 25, 50), (5, 10, 15, 30), (6, 9, 18, 36))
"""One family is drawn for each set; the hyperperiods are 40, 24, 100, 30 and 36 ms."""

LANES = (LaneSpec("gpu"), LaneSpec("cpu0"), LaneSpec("dla0", in_flight=2))
_CAPACITY_MBPS = 100_000


def random_set(draw: random.Random, utilization: float) -> TaskSet:
    """Its busiest lane is asked for about `utilization` of its time by tasks (contention not counted).

    One to three lanes; two to six tasks a lane, of one to four segments, three in four of them hard; some on two lanes,
    some with jitter and offsets, some firm with m of k; half the sets with a stream, half of those with several lanes
    with contention. A draw whose deadlines are too short in themselves is drawn again.
    """
    while True:
        drawn = _draw(draw, utilization)
        if not any(map(too_short, drawn.tasks)):
            return drawn


def _draw(draw: random.Random, utilization: float) -> TaskSet:
    lanes = tuple(draw.sample(LANES, draw.randint(1, 3)))
    periods = draw.choice(PERIODS_MS)
    tasks: list[Task] = []
    for number, lane in enumerate(lanes):
        share = utilization if number == 0 else utilization * draw.uniform(0.3, 1.0)
        for each in _shares(draw, draw.randint(2, 6), share):
            tasks.append(_task(draw, f"t{len(tasks)}", lane.name, [spec.name for spec in lanes], each, periods))
    streams = (_stream(draw, lanes[0].name),) if draw.random() < 0.5 else ()
    contention = Contention()
    if len(lanes) > 1 and draw.random() < 0.5:
        rows = tuple(Sensitivity(lane.name, draw.choice((300, 1140, 1710))) for lane in lanes)
        contention = Contention(_CAPACITY_MBPS, rows)
    return TaskSet(lanes, tuple(tasks), streams, None, contention)


def _shares(draw: random.Random, count: int, total: float) -> list[float]:
    """UUniFast (Bini and Buttazzo 2005): uniform over all ways to split `total`."""
    shares, left = [], total
    for rest in range(count - 1, 0, -1):
        following = left * draw.random() ** (1.0 / rest)
        shares.append(left - following)
        left = following
    return [*shares, left]


def _task(
    draw: random.Random, name: str, lane: str, lanes: Sequence[str], share: float, periods: Sequence[int]
) -> Task:
    period = draw.choice(periods) * MS
    cost = max(20 * US, int(share * period))
    kind: Criticality = draw.choices(("hard", "firm", "soft", "best_effort"), (75, 10, 10, 5))[0]
    deadline = period if draw.random() < 0.5 else max(int(draw.uniform(0.5, 1.0) * period), min(period, cost + US))
    jitter = int(draw.uniform(0.0, 0.3) * (deadline - cost)) if draw.random() < 0.2 and deadline > cost else 0
    m, k = draw.choice(((1, 2), (2, 3), (3, 4), (1, 1))) if kind == "firm" else (1, 1)
    offset = draw.randrange(period) if draw.random() < 0.3 else 0
    return Task(name, kind, period, deadline, (Route(_stages(draw, name, lane, lanes, cost)),), offset, jitter, m, k)


def _stages(draw: random.Random, name: str, lane: str, lanes: Sequence[str], cost: int) -> tuple[Stage, ...]:
    others = [other for other in lanes if other != lane]
    if others and draw.random() < 0.25:
        first = int(cost * draw.uniform(0.5, 0.9))
        return (
            Stage(lane, _segments(draw, name, first)),
            Stage(draw.choice(others), _segments(draw, name, max(1, cost - first))),
        )
    return (Stage(lane, _segments(draw, name, cost)),)


def _segments(draw: random.Random, name: str, cost: int) -> tuple[Segment, ...]:
    shares = _shares(draw, draw.choice((1, 1, 2, 3, 4)), 1.0)
    demand = draw.randint(0, 60_000)
    return tuple(Segment(f"{name}.{n}", max(1, int(each * cost)), demand) for n, each in enumerate(shares))


def _stream(draw: random.Random, lane: str) -> Stream:
    if draw.random() < 0.5:
        return Stream(
            "llm", (lane,), 30 * MS, MS // 2, draw.randint(20_000, 80_000), margin_ns=50 * US,
            tolerance_ns=draw.choice((0, 0, MS, 3 * MS)),
        )  # fmt: skip
    longest = int(draw.uniform(0.2, 3.0) * MS)
    return Stream("llm", (lane,), longest, 100 * US, draw.randint(20_000, 80_000), bounded=False)
