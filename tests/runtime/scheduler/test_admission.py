from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from premotor_foundation.errors import EXIT_REFUSED
from premotor_runtime.scheduler.admission import Admitted, Refused, admit, admit_or_raise, tolerated_blocking_ns
from premotor_runtime.scheduler.contention import Contention, Sensitivity
from premotor_runtime.scheduler.errors import DeadlineTooShort, NotSchedulable
from premotor_runtime.scheduler.remedies import admit_or_advise, ladder, step_down
from premotor_runtime.scheduler.task import Route, Segment, Stage, Stream, Task
from premotor_runtime.scheduler.task_set import LaneSpec, TaskSet

MS = 1_000_000
GPU, CPU = LaneSpec("gpu"), LaneSpec("cpu0")
Make = Callable[..., Task]


def refusal(task_set: TaskSet) -> Refused:
    admission = admit_or_advise(task_set)
    assert isinstance(admission, Refused)
    return admission


def route(lane: str, cost_ms: float, parts: int = 1) -> Route:
    return Route((Stage(lane, (Segment("k", int(cost_ms * MS), parts=parts),)),))


def test_a_set_with_room_is_admitted_with_its_response_times(task: Make) -> None:
    admission = admit(TaskSet((GPU,), (task("a", 5, 20), task("b", 8, 40))))
    assert isinstance(admission, Admitted)
    assert {r.task: r.response_ns for r in admission.responses} == {"a": 13 * MS, "b": 13 * MS}


def test_a_refusal_names_the_task_the_excess_and_the_first_remedy(task: Make) -> None:
    steps = Stream("llm", ("gpu",), 30 * MS, bounded=False, finest_ns=2 * MS)
    found = refusal(TaskSet((GPU,), (task("control", 5, 20),), (steps,)))
    assert (found.task, found.late_ns) == ("control", 15 * MS)
    assert found.sentence() == (
        "not admitted: control would miss by 15 ms on lane gpu; "
        "it would fit with a smaller chunk (steps of 15 ms) for llm"
    )


def test_every_rung_of_the_ladder_is_found_when_it_is_the_first_that_helps(task: Make) -> None:
    control = task("control", 5, 20)
    chunk = task("map", 1, 100, routes=(route("gpu", 18, parts=4),), criticality="soft")
    assert "smaller chunk (a half of each" in refusal(TaskSet((GPU,), (control, chunk))).remedy
    often = task("map", 7, 20, criticality="firm", slowest_period_ns=80 * MS)
    rarer = refusal(TaskSet((GPU,), (control, task("b", 8, 20), often)))
    assert rarer.remedy == "a lower rate (every 40 ms) for map"
    elsewhere = task("map", 1, 100, routes=(route("gpu", 18), route("cpu0", 40)), criticality="soft")
    assert refusal(TaskSet((GPU, CPU), (control, elsewhere))).remedy == "another lane (cpu0) for map"
    small = task("map", 18, 100, criticality="soft", smaller=task("map", 9, 100, criticality="soft"))
    assert refusal(TaskSet((GPU,), (control, small))).remedy == "a smaller model (version 1) for map"
    assert refusal(TaskSet((GPU,), (control, task("map", 18, 100)))).remedy == ""


def test_where_no_single_change_helps_several_are_named(task: Make) -> None:
    control = task("control", 5, 20)
    two = tuple(
        task(name, 1, 100, routes=(route("gpu", 18), route("cpu0", 18)), criticality="soft") for name in ("a", "b")
    )
    found = refusal(TaskSet((GPU, CPU), (control, *two)))
    assert found.remedy == "another lane (cpu0) for a and another lane (cpu0) for b"
    changes, after = step_down(TaskSet((GPU, CPU), (control, *two)))
    assert isinstance(after, Admitted) and [change.name for change in changes] == ["a", "b"]


def test_the_ladder_is_climbed_in_order_and_what_matters_least_first(task: Make) -> None:
    hard = task("hard", 1, 20, slowest_period_ns=40 * MS)
    best_effort = task("least", 1, 20, criticality="best_effort", slowest_period_ns=40 * MS, smaller=None)
    assert [change.name for change in ladder(TaskSet((GPU,), (hard, best_effort)))] == ["least", "hard"]


def test_one_more_task_must_not_cost_an_admitted_one_its_deadline(task: Make) -> None:
    first = TaskSet((GPU,), (task("control", 5, 20, 10),))
    assert isinstance(admit(first), Admitted)
    found = refusal(replace(first, tasks=(*first.tasks, task("late", 6, 50))))
    assert (found.task, found.late_ns) == ("control", 1 * MS)


def test_memory_comes_first(task: Make) -> None:
    small = task("vision", 1, 20, memory_bytes=2 << 20)
    big = task("vision", 1, 20, memory_bytes=6 << 20, smaller=small)
    steps = Stream("llm", ("gpu",), MS, memory_bytes=4 << 20)
    found = refusal(TaskSet((GPU,), (big,), (steps,), memory_bytes=8 << 20))
    assert found.reason == "memory is short of 2.0 MiB (vision takes 6.0)"
    assert found.remedy == "a smaller model (version 1) for vision"
    assert isinstance(admit(TaskSet((GPU,), (small,), (steps,), memory_bytes=8 << 20)), Admitted)


def test_contention_counts(task: Make) -> None:
    own = task("control", 8, 20, 10, demand=60_000)
    other = task("vision", 10, 40, lane="cpu0", demand=60_000)
    alone = TaskSet((GPU, CPU), (own, other))
    contention = Contention(100_000, (Sensitivity("gpu", 1000),))
    assert isinstance(admit(alone), Admitted)
    found = refusal(replace(alone, contention=contention))
    assert (found.task, found.late_ns) == ("control", int(8 * 1.36 * MS) + 1 - 10 * MS)


def test_a_lane_asked_for_more_than_all_its_time_is_refused(task: Make) -> None:
    found = refusal(TaskSet((GPU,), (task("a", 15, 20), task("b", 15, 40))))
    assert "lane gpu is (nearly) full" in found.reason
    soft = refusal(TaskSet((GPU,), (task("a", 5, 20), task("b", 35, 40, criticality="soft"))))
    assert soft.task in ("a", "b")


def test_stages_on_two_lanes_get_the_time_they_need(task: Make) -> None:
    chain = Route((Stage("gpu", (Segment("x", 1 * MS),)), Stage("cpu0", (Segment("y", 8 * MS),))))
    busy = task("busy", 4, 40, lane="gpu")
    admission = admit(TaskSet((GPU, CPU), (task("chain", 1, 20, 14, routes=(chain,)), busy)))
    assert isinstance(admission, Admitted)
    stages = admission.plan.tasks[0].stages
    assert stages[1].latest_ready_ns == stages[0].deadline_ns >= 5 * MS
    assert stages[1].deadline_ns == 14 * MS


def test_what_the_tightest_deadline_leaves_may_be_tolerated(task: Make) -> None:
    task_set = TaskSet((GPU,), (task("control", 5, 20, 12),), (Stream("llm", ("gpu",), 50 * MS, overrun_ns=MS),))
    tolerance = tolerated_blocking_ns(task_set, "llm")
    assert 0 <= 6 * MS - tolerance <= 1000
    full = replace(task_set, tasks=(task("control", 12, 20, 12),))
    assert tolerated_blocking_ns(full, "llm") == -1


def test_at_start_a_set_that_cannot_be_scheduled_raises_with_the_remedy(task: Make) -> None:
    steps = Stream("llm", ("gpu", "cpu0"), 30 * MS, bounded=False)
    with pytest.raises(NotSchedulable, match=r"control would miss by 15 ms .* another lane \(cpu0\) for llm") as raised:
        admit_or_raise(TaskSet((GPU, CPU), (task("control", 5, 20),), (steps,)))
    assert raised.value.exit_code == EXIT_REFUSED
    assert admit_or_raise(TaskSet((GPU, CPU), (task("control", 5, 20),))).tasks[0].task.name == "control"


def test_of_a_firm_task_only_m_of_k_must_fit(task: Make) -> None:
    control = task("control", 6, 20, 20)
    others = (task("b", 4, 20, criticality="firm"), task("c", 4, 20, criticality="firm"))
    every = task("map", 4, 20, criticality="firm")
    assert isinstance(admit(TaskSet((GPU,), (control, *others, every))), Admitted)
    full = (task("control", 11, 20, 20), *others, every)
    assert isinstance(admit(TaskSet((GPU,), full)), Refused)
    halves = [replace(each, m=1, k=2) for each in full[1:]]
    assert isinstance(admit(TaskSet((GPU,), (full[0], *halves))), Refused), "mandatory jobs may come together"
    light = task("control", 4, 20, 20)
    assert isinstance(admit(TaskSet((GPU,), (light, *halves))), Admitted)


def test_a_deadline_shorter_than_a_kernel_is_refused_naming_the_kernel(task: Make) -> None:
    with pytest.raises(DeadlineTooShort, match=r"leaves 4 ms, its work takes 5 ms .* longest part is a1 with 3 ms"):
        admit_or_raise(TaskSet((GPU,), (task("a", (2, 3), 20, 4),)))
    with pytest.raises(DeadlineTooShort, match="a smaller model"):
        admit_or_raise(TaskSet((GPU,), (task("a", 5, 20, 4, smaller=task("a", 2, 20, 4)),)))
    found = refusal(TaskSet((GPU,), (task("a", 3, 20, 4, jitter_ns=2 * MS),)))
    assert (found.alone, found.late_ns) == (True, MS)


def test_a_slow_first_route_is_not_a_deadline_too_short(task: Make) -> None:
    found = refusal(TaskSet((GPU, CPU), (task("a", 1, 20, 4, routes=(route("gpu", 9), route("cpu0", 2))),)))
    assert (found.alone, found.late_ns, found.remedy) == (False, 5 * MS, "another lane (cpu0) for a")
