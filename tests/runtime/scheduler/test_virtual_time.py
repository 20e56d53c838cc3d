from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

import pytest

from premotor_runtime.scheduler.admission import admit_or_raise
from premotor_runtime.scheduler.contention import Contention, Sensitivity
from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.plan import plan_of
from premotor_runtime.scheduler.recording import Kind, Ring, records_in
from premotor_runtime.scheduler.study.day import DAY_PERIODS, PARTS, run_day, shared_lane
from premotor_runtime.scheduler.task import Stream, Task
from premotor_runtime.scheduler.task_set import LaneSpec, TaskSet
from premotor_runtime.scheduler.virtual_engine import EngineCosts, VirtualEngine
from premotor_runtime.scheduler.virtual_time import VirtualExecutor

MS = 1_000_000
COSTS = EngineCosts(MS, 100_000, 500_000)
Make = Callable[..., Task]


def ends(task_set: TaskSet, until_ms: int) -> dict[tuple[int, int], int]:
    dispatcher = Dispatcher([plan_of(task_set)], Ring(2))
    VirtualExecutor(dispatcher).run_until(until_ms * MS)
    records = [record for page in dispatcher.ring.pages() for record in records_in(page.data)]
    return {(record.who, record.job): record.at_ns for record in records if record.kind == Kind.DONE}


def test_two_lanes_that_draw_bandwidth_slow_each_other_down_while_both_run(task: Make) -> None:
    tasks = (task("a", 4, 40, demand=60_000), task("b", 10, 40, lane="cpu0", demand=60_000))
    alone = TaskSet((LaneSpec("gpu"), LaneSpec("cpu0")), tasks)
    assert ends(alone, 39) == {(0, 0): 4 * MS, (1, 0): 10 * MS}
    half = Contention(100_000, (Sensitivity("gpu", 0), Sensitivity("cpu0", 0)))
    together = ends(replace(alone, contention=half), 39)
    assert together[0, 0] == int(4.8 * MS), "120 of 100 GB/s: 1.2 times as long"
    assert abs(together[1, 0] - int(10.8 * MS)) <= 1, "4 of its 10 ms were done in 4.8 ms"


def test_what_draws_nothing_is_not_slowed_down(task: Make) -> None:
    tasks = (task("a", 4, 40, demand=0), task("b", 10, 40, lane="cpu0", demand=90_000))
    contention = Contention(100_000, (Sensitivity("gpu", 3000), Sensitivity("cpu0", 3000)))
    assert ends(TaskSet((LaneSpec("gpu"), LaneSpec("cpu0")), tasks, (), None, contention), 39)[0, 0] == 4 * MS


def test_the_virtual_engine_keeps_its_budget_and_loses_no_token() -> None:
    engine = VirtualEngine(COSTS, concurrency=3, prompt=40, answer=2, chunk=32)
    assert engine.step(MS) == 0, "nothing fits"
    for budget in (2 * MS, 3 * MS, 5 * MS, -1, 4 * MS) * 40:
        took = engine.step(budget)
        assert took <= budget or budget == -1
    finished, rest = divmod(engine.answer_tokens, 2)
    assert engine.prompt_tokens >= 40 * finished and rest >= 0
    assert engine.prompt_tokens <= 40 * (finished + 3)


def test_a_long_prefill_is_cut_into_chunks_that_fit(task: Make) -> None:
    """400 tokens take 41 ms at once; beside control every 20 ms they go in parts, and control never waits."""
    engine = VirtualEngine(COSTS, concurrency=1, prompt=400, answer=1, chunk=400)
    task_set = TaskSet((LaneSpec("gpu"),), (task("control", 5, 20, 5),), (Stream("llm", ("gpu",), 41 * MS, 2 * MS),))
    dispatcher = Dispatcher([admit_or_raise(task_set)], Ring(2))
    VirtualExecutor(dispatcher, models=[engine]).run_until(1000 * MS - 1)
    assert dispatcher.misses.counters[0].counts().misses == 0
    assert engine.answer_tokens >= 15
    unbounded = replace(task_set, streams=(replace(task_set.streams[0], bounded=False),))
    naive = Dispatcher([plan_of(unbounded)], Ring(2))
    VirtualExecutor(naive, models=[VirtualEngine(COSTS, 1, 400, 1, 400)]).run_until(1000 * MS - 1)
    assert naive.misses.counters[0].counts().misses > 20


def test_shared_steps_take_most_of_what_control_leaves_free() -> None:
    report = run_day(2400)
    alone, taken = VirtualEngine(EngineCosts(1_500_000, 60_000, 150_000)), 0
    while taken < 2400 * 20 * MS * (20.0 - 5.9) / 20.0:
        taken += alone.step(-1)
    assert sum(report.tokens_per_part) >= 0.85 * (alone.prompt_tokens + alone.answer_tokens)
    assert (report.periods, report.misses, report.drift_ns) == (2400, 0, 0)


def test_control_in_the_day_is_admitted() -> None:
    assert admit_or_raise(shared_lane()).tasks[0].task.deadline_ns == 20 * MS


@pytest.mark.slow
@pytest.mark.skipif("PREMOTOR_LONG_TESTS" not in os.environ, reason="takes minutes; `./premotor test slow` runs it")
def test_a_day_of_periods_neither_drifts_nor_leaks() -> None:
    report = run_day(DAY_PERIODS)
    assert (report.periods, report.misses, report.drift_ns) == (DAY_PERIODS, 0, 0)
    assert report.growth_bytes < 4 << 20
    assert max(report.tokens_per_part) - min(report.tokens_per_part) < 0.001 * max(report.tokens_per_part)
    assert len(report.tokens_per_part) == PARTS
