"""The bound against every offset there is, for small sets: never beaten, and often reached."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest

from premotor_runtime.scheduler.admission import Admitted, admit
from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.plan import Plan
from premotor_runtime.scheduler.recording import Kind, Ring, records_in
from premotor_runtime.scheduler.task import Task
from premotor_runtime.scheduler.task_set import LaneSpec, TaskSet
from premotor_runtime.scheduler.virtual_time import VirtualExecutor

MS = 1_000_000
SETS = (
    ((1, 4), (3, 12), (1, 6)),
    ((2, 6), (4, 12)),
    ((1, 6), (4, 24), (2, 8)),
    ((2, 8), (3, 8), (2, 24)),
    (((1, 1), 6), ((2, 2), 12)),
    (((1, 2, 1), 12), (2, 6)),
)
Make = Callable[..., Task]


def longest_responses(plan: Plan, offsets: tuple[int, ...]) -> list[int]:
    tasks = plan.task_set.tasks
    moved = tuple(
        (replace(versions[0], task=replace(versions[0].task, offset_ns=offset)),)
        for versions, offset in zip(plan.versions, offsets, strict=True)
    )
    dispatcher = Dispatcher([replace(plan, versions=moved)], Ring(2))
    VirtualExecutor(dispatcher).run_until(3 * 24 * MS)
    longest = [0] * len(tasks)
    for page in dispatcher.ring.pages():
        for record in records_in(page.data):
            if record.kind == Kind.DONE:
                longest[record.who] = max(longest[record.who], record.value)
    return longest


@pytest.mark.parametrize("costs_and_periods", SETS)
@pytest.mark.parametrize("in_flight", [1, 2])
def test_no_offset_beats_the_bound(
    costs_and_periods: tuple[tuple[float, int], ...], in_flight: int, task: Make
) -> None:
    tasks = tuple(task(f"t{n}", cost, period) for n, (cost, period) in enumerate(costs_and_periods))
    admission = admit(TaskSet((LaneSpec("gpu", in_flight),), tasks))
    if not isinstance(admission, Admitted):
        assert in_flight == 2, "on a lane that takes one at a time all of these can be scheduled"
        return
    bounds = [response.response_ns for response in admission.responses]
    seen = [0] * len(tasks)
    choices = [[at * MS + shift for at in range(each.period_ns // MS) for shift in (0, 1)] for each in tasks[1:]]
    for offsets in itertools.islice(itertools.product([MS], *choices), 0, None, 1 if len(tasks) == 2 else 5):
        found = longest_responses(admission.plan, offsets)
        assert all(one <= bound for one, bound in zip(found, bounds, strict=True))
        seen = [max(pair) for pair in zip(seen, found, strict=True)]
    if in_flight == 1:
        assert any(bound - one <= 2 for one, bound in zip(seen, bounds, strict=True)), (seen, bounds)
