from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from premotor_runtime.scheduler.admission import admit_or_raise
from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.live import NEVER, Submission
from premotor_runtime.scheduler.miss_ladder import ACTIONS, MissLadder
from premotor_runtime.scheduler.plan import plan_of
from premotor_runtime.scheduler.recording import Kind, Record, Ring, records_in
from premotor_runtime.scheduler.slack import FREE
from premotor_runtime.scheduler.task import Stream, Task
from premotor_runtime.scheduler.task_set import LaneSpec, TaskSet
from premotor_runtime.scheduler.timebase import Timebase

MS = 1_000_000
GPU = LaneSpec("gpu")
Make = Callable[..., Task]


def dispatcher(task_set: TaskSet, ladder: MissLadder | None = None) -> Dispatcher:
    return Dispatcher([plan_of(task_set)], Ring(2), ladder)


def names(placements: Iterable[Submission]) -> list[str]:
    return ["step" if p.job is None else f"{p.job.planned.task.name}{p.segment}" for p in placements]


def records(of: Dispatcher, *kinds: Kind) -> list[Record]:
    found = [record for page in of.ring.pages() for record in records_in(page.data)]
    return [record for record in found if record.kind in kinds]


def test_a_running_segment_is_not_interrupted_and_then_the_earlier_deadline_goes(task: Make) -> None:
    runs = dispatcher(TaskSet((GPU,), (task("long", (2, 2), 40), task("short", 1, 20, offset_ns=MS))))
    assert names(runs.wake(0)) == ["long0"]
    assert runs.wake(MS) == [], "released, but the lane is taken"
    assert names(runs.ended(2 * MS, 0)) == ["short0"]
    assert names(runs.ended(3 * MS, 0)) == ["long1"]
    assert runs.ended(5 * MS, 0) == []
    assert [(r.who, r.value) for r in records(runs, Kind.DONE)] == [(1, 2 * MS), (0, 5 * MS)]
    assert runs.next_wake_ns == 21 * MS


def test_a_lower_rank_waits_whatever_its_deadline(task: Make) -> None:
    soft = task("soft", 1, 10, criticality="soft")
    runs = dispatcher(TaskSet((GPU,), (soft, task("hard", 1, 40))))
    assert names(runs.wake(0)) == ["hard0"]
    assert names(runs.ended(MS, 0)) == ["soft0"]


def test_a_dla_core_has_two_in_flight_of_one_job_or_of_two(task: Make) -> None:
    dla = LaneSpec("dla0", in_flight=2)
    runs = dispatcher(TaskSet((dla,), (task("a", (1, 1, 1), 20, lane="dla0"), task("b", 1, 40, lane="dla0"))))
    assert names(runs.wake(0)) == ["a0", "a1"]
    assert names(runs.ended(MS, 0)) == ["a2"]
    assert names(runs.ended(2 * MS, 0)) == ["b0"]
    assert runs.lanes[0].free_at_ns == 4 * MS
    assert runs.ended(3 * MS, 0) == [] and runs.ended(4 * MS, 0) == []
    with pytest.raises(IndexError):
        runs.ended(5 * MS, 0)


def test_a_job_with_jitter_waits_for_its_input(task: Make) -> None:
    runs = dispatcher(TaskSet((GPU,), (task("scan", 1, 20, jitter_ns=5 * MS),)))
    assert runs.wake(0) == []
    assert names(runs.arrive(3 * MS, 0)) == ["scan0"]
    runs.ended(4 * MS, 0)
    assert runs.arrive(19 * MS, 0) == [], "too early"
    assert names(runs.wake(20 * MS)) == ["scan0"]


def test_an_input_that_never_comes_is_a_miss(task: Make) -> None:
    runs = dispatcher(TaskSet((GPU,), (task("scan", 1, 20, 10, jitter_ns=5 * MS),)))
    runs.wake(0)
    assert runs.next_wake_ns == 10 * MS + 1
    runs.wake(10 * MS + 1)
    assert runs.misses.counters[0].counts().misses == 1
    assert [r.job for r in records(runs, Kind.DROP)] == [0]


def test_of_a_late_hard_job_the_rest_is_dropped(task: Make) -> None:
    runs = dispatcher(TaskSet((GPU,), (task("a", (1, 1), 20, 10),)))
    runs.wake(0)
    runs.wake(10 * MS + 1)
    assert runs.ended(11 * MS, 0) == [], "its second segment is not begun any more"
    assert names(runs.wake(20 * MS)) == ["a0"]
    kinds = [Kind(record.kind) for record in records(runs, Kind.MISS, Kind.DROP, Kind.VERDICT)]
    assert kinds == [Kind.MISS, Kind.VERDICT, Kind.DROP]


def test_ending_at_the_deadline_is_in_time(task: Make) -> None:
    runs = dispatcher(TaskSet((GPU,), (task("a", 1, 20, 10),)))
    runs.wake(0)
    runs.ended(10 * MS, 0)
    assert runs.misses.counters[0].counts().misses == 0


def test_a_late_soft_job_is_finished_unless_the_next_one_comes(task: Make) -> None:
    runs = dispatcher(TaskSet((GPU,), (task("a", (1, 1, 1), 20, 10, criticality="soft"),)))
    runs.wake(0)
    assert names(runs.ended(12 * MS, 0)) == ["a1"]
    runs.wake(20 * MS)
    assert [r.job for r in records(runs, Kind.DROP)] == [0]
    assert names(runs.ended(21 * MS, 0)) == ["a0"]
    assert runs.misses.counters[0].counts().misses == 1


def test_a_firm_job_that_may_be_let_go_stands_behind(task: Make) -> None:
    firm = task("firm", 1, 20, criticality="firm", m=1, k=2)
    other = task("other", 1, 40, criticality="firm", offset_ns=20 * MS)
    runs = dispatcher(TaskSet((GPU,), (firm, other)))
    assert names(runs.wake(0)) == ["firm0"]
    runs.ended(MS, 0)
    assert names(runs.wake(20 * MS)) == ["other0"], "job 1 of the first is the one that may be let go"


def test_steps_fill_the_gaps_and_end_before_the_next_release(task: Make) -> None:
    steps = Stream("llm", ("gpu",), 50 * MS, 2 * MS, margin_ns=MS)
    runs = dispatcher(TaskSet((GPU,), (task("control", 5, 20),), (steps,)))
    assert names(runs.offer(0, 0, True)) == ["control0"], "the first job is released at 0"
    (step,) = runs.ended(5 * MS, 0)
    assert (step.stream, step.budget_ns) == (0, 14 * MS)
    assert runs.ended(18 * MS, 0) == [], "one millisecond less the margin is too short"
    assert names(runs.wake(20 * MS)) == ["control0"]
    runs.offer(21 * MS, 0, False)
    assert runs.ended(25 * MS, 0) == []


def test_a_step_that_did_nothing_is_not_tried_again_at_once(task: Make) -> None:
    runs = dispatcher(TaskSet((GPU,), (task("control", 5, 20, offset_ns=MS),), (Stream("llm", ("gpu",), 50 * MS),)))
    assert names(runs.offer(0, 0, True)) == ["step"]
    assert runs.ended(0, 0, worked=False) == []
    assert names(runs.wake(MS)) == ["control0"]
    assert names(runs.ended(6 * MS, 0)) == ["step"]


def test_on_a_lane_of_its_own_a_step_is_free(task: Make) -> None:
    runs = dispatcher(TaskSet((GPU, LaneSpec("cpu0")), (task("c", 5, 20),), (Stream("llm", ("cpu0",), MS),)))
    placements = runs.offer(0, 0, True)
    assert sorted(names(placements)) == ["c0", "step"]
    assert next(p for p in placements if p.job is None).budget_ns == FREE


def test_no_step_begins_while_work_for_the_lane_is_on_its_way(task: Make) -> None:
    from premotor_runtime.scheduler.task import Route, Segment, Stage

    there_and_back = Route(tuple(Stage(lane, (Segment(lane, MS),)) for lane in ("gpu", "cpu0", "gpu")))
    steps = Stream("llm", ("gpu",), 50 * MS)
    runs = dispatcher(TaskSet((GPU, LaneSpec("cpu0")), (task("c", 1, 20, routes=(there_and_back,)),), (steps,)))
    runs.offer(0, 0, True)
    assert names(runs.ended(MS, 0)) == ["c0"]
    assert names(runs.ended(2 * MS, 1)) == ["c0"]
    assert names(runs.ended(3 * MS, 0)) == ["step"]


def test_the_watchdog_stops_a_lane_until_what_hangs_has_ended(task: Make) -> None:
    runs = dispatcher(TaskSet((GPU,), (task("a", 1, 20),)))
    runs.wake(0)
    assert runs.next_wake_ns == 7 * MS, "twice the worst case and a floor"
    runs.wake(7 * MS)
    assert runs.lanes[0].stuck and len(records(runs, Kind.WATCHDOG)) == 1
    assert runs.wake(20 * MS + 1) == []
    assert names(runs.ended(30 * MS, 0)) == ["a0"]
    assert not runs.lanes[0].stuck


def test_releases_that_passed_by_are_missed_each(task: Make) -> None:
    runs = dispatcher(TaskSet((GPU,), (task("a", 1, 20),)))
    assert names(runs.wake(1005 * MS)) == ["a0"], "the one of 1000 ms is still in time"
    counts = runs.misses.counters[0].counts()
    assert (counts.misses, counts.longest_run) == (50, 50)
    assert runs.next_index[0] == 51 and runs.next_arrival_ns[0] == 1020 * MS
    assert [(r.job, r.value) for r in records(runs, Kind.SKIP)] == [(0, 50)]


def test_misses_in_a_row_hold_then_brake_and_make_the_work_smaller(task: Make) -> None:
    ladder = MissLadder(hold_periods=1, degrade_misses=2, degrade_window=5, recover_periods=2)
    half = task("mppi", 2, 20)
    runs = dispatcher(TaskSet((GPU,), (task("mppi", 4, 20, smaller=half),)), ladder)
    runs.wake(0)
    assert [placement.worst_ns for placement in runs.ended(25 * MS, 0)] == [4 * MS]
    assert [placement.worst_ns for placement in runs.ended(45 * MS, 0)] == [2 * MS], "half of it, after two misses"
    verdicts = [ACTIONS[record.value] for record in records(runs, Kind.VERDICT)]
    assert verdicts == ["hold_shifted", "brake"]
    assert [record.value for record in records(runs, Kind.DEGRADE)] == [1]
    runs.ended(47 * MS, 0)
    runs.wake(60 * MS)
    runs.ended(62 * MS, 0)
    assert [record.value for record in records(runs, Kind.DEGRADE)] == [1, 0], "two clean periods, and all is back"
    assert [placement.worst_ns for placement in runs.wake(80 * MS)] == [4 * MS]


def test_time_that_goes_back_counts_as_the_last(task: Make) -> None:
    runs = dispatcher(TaskSet((GPU,), (task("a", 1, 20),)))
    runs.wake(5 * MS)
    runs.ended(MS, 0)
    assert runs.now_ns == 5 * MS
    assert records(runs, Kind.DONE)[0].value == 5 * MS


def test_a_clock_that_jumps_back_keeps_all_timers_going(task: Make) -> None:
    timebase = Timebase()
    runs = dispatcher(TaskSet((GPU,), (task("a", 1, 20),)))
    for raw in (0, 20 * MS, 40 * MS):
        runs.wake(timebase.read(raw)[0])
        runs.ended(timebase.read(raw + MS)[0], 0)
    now, back = timebase.read(3 * MS)
    assert (now, back) == (41 * MS, 38 * MS)
    runs.clock_went_back(now, back)
    assert timebase.raw(runs.next_wake_ns) == 22 * MS, "re-based: the next release is still 19 ms away"
    assert names(runs.wake(timebase.read(22 * MS)[0])) == ["a0"]
    assert runs.misses.counters[0].counts().misses == 0


def test_another_plan_takes_over_at_the_next_release(task: Make) -> None:
    runs = dispatcher(TaskSet((GPU,), (task("a", 4, 20),)))
    slower = runs.add_plan(admit_or_raise(TaskSet((GPU,), (task("a", 8, 40),))))
    runs.wake(0)
    runs.switch(MS, slower)
    runs.ended(4 * MS, 0)
    assert [placement.worst_ns for placement in runs.wake(20 * MS)] == [8 * MS]
    assert runs.next_arrival_ns[0] == 60 * MS
    with pytest.raises(ValueError, match="another plan"):
        runs.add_plan(plan_of(TaskSet((GPU,), (task("b", 1, 20),))))


def test_without_tasks_nothing_wakes() -> None:
    assert dispatcher(TaskSet((GPU,), ())).next_wake_ns == NEVER
