"""The dispatcher on clocks and lanes: virtual, real, one that goes back; what was recorded replays byte for byte."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Callable

import pytest

from premotor_runtime.executor.clock import ExactClock, MonotonicClock, VirtualClock
from premotor_runtime.executor.lane import InlineLane, Lane, ThreadLane
from premotor_runtime.executor.realtime import RealtimeExecutor
from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.live import LiveJob
from premotor_runtime.scheduler.power.watch import PlanWatch
from premotor_runtime.scheduler.record_file import Recording, dump, load
from premotor_runtime.scheduler.recording import Kind, Ring
from premotor_runtime.scheduler.replay import replay
from premotor_runtime.scheduler.task import Route, Segment, Stage, Stream, Task
from premotor_runtime.scheduler.task_set import LaneSpec, TaskSet

MS = 1_000_000


class Work:
    """Takes what its segments are said to cost (on a virtual clock), or what `doing` does; counts what it is told."""

    def __init__(self, clock: ExactClock, doing: Callable[[LiveJob], object] | None = None) -> None:
        self.clock, self.doing = clock, doing
        self.sensed: list[int] = []
        self.settled = 0
        self.values: list[object] = []

    def sense(self, job: LiveJob) -> None:
        self.sensed.append(job.index)

    def segment(self, job: LiveJob, stage: int, segment: int) -> Callable[[], object]:
        return lambda: self._work(job, job.planned.stages[stage].costs_ns[segment])

    def ended(self, job: LiveJob, value: object, error: str) -> None:
        self.values.append(error or value)

    def settle(self, now_ns: int) -> None:
        self.settled += 1

    def _work(self, job: LiveJob, cost_ns: int) -> object:
        if self.doing is not None:
            return self.doing(job)
        if isinstance(self.clock, VirtualClock):
            self.clock.spend(cost_ns / 1e9)
        return job.index


class Steps:
    """A stream that does a known number of steps."""

    def __init__(self, clock: ExactClock, steps: int) -> None:
        self.clock, self.left = clock, steps
        self.budgets: list[int] = []

    @property
    def has_work(self) -> bool:
        return self.left > 0

    def step(self, budget_ns: int) -> int:
        self.budgets.append(budget_ns)
        self.left -= 1
        if isinstance(self.clock, VirtualClock):
            self.clock.spend(1e-3)
        return 1


def task(name: str, cost_ms: float, period_ms: int, *lanes: str, jitter_ns: int = 0) -> Task:
    routes = tuple(Route((Stage(lane, (Segment("k", int(cost_ms * MS)),)),)) for lane in lanes or ("cpu0",))
    return Task(name, "hard", period_ms * MS, period_ms * MS, routes, jitter_ns=jitter_ns)


def recorded(executor: RealtimeExecutor) -> Recording:
    recording = load(dump(executor.dispatcher))
    assert replay(recording) == recording.data
    return recording


def kinds(recording: Recording, *wanted: Kind) -> list[tuple[Kind, int, int]]:
    return [(Kind(r.kind), r.who, r.job) for r in recording.records() if r.kind in wanted]


def two_tasks(clock: ExactClock, lane: Lane, jobs: int) -> tuple[RealtimeExecutor, list[Work], Steps]:
    tasks = (task("fast", 0.2, 100, jitter_ns=50 * MS), task("slow", 0.3, 200))
    steps = Stream("llm", ("cpu0",), 20 * MS, MS // 10)
    watch = PlanWatch(TaskSet((LaneSpec("cpu0"),), tasks, (steps,)))
    dispatcher = Dispatcher([watch.first_plan()], Ring(2), start_ns=clock.now_ns())
    works, model = [Work(clock), Work(clock)], Steps(clock, 7)
    executor = RealtimeExecutor(dispatcher, clock, [lane], works, [model])
    while works[0].settled < jobs:
        executor.turn()
    return executor, works, model


def test_the_real_clock_decides_as_the_virtual_one_and_both_replay() -> None:
    """The order of what two tasks and a stream on one lane get is the same on a thread and inline."""
    real, virtual = MonotonicClock(), VirtualClock(3.0)
    lane = ThreadLane("cpu0", real)
    found = []
    for clock, each in ((real, lane), (virtual, InlineLane(virtual))):
        executor, works, model = two_tasks(clock, each, 5)
        recording = recorded(executor)
        assert works[0].sensed == [0, 1, 2, 3, 4] and works[0].values == [0, 1, 2, 3, 4]
        assert model.left == 0 and all(0 < budget <= 20 * MS for budget in model.budgets)
        jobs = kinds(recording, Kind.RELEASE, Kind.START, Kind.FINISH, Kind.DONE, Kind.MISS)
        found.append([each for each in jobs if each[2] < 4 or each[1] == 1])
    assert found[0] == found[1]
    lane.close()


def test_a_clock_that_goes_back_re_bases_all_timers() -> None:
    class Reset(VirtualClock):
        def jump(self, back_ns: int) -> None:
            self._now_ns -= back_ns

    clock = Reset(10.0)
    plan = PlanWatch(TaskSet((LaneSpec("cpu0"),), (task("a", 1, 20),))).first_plan()
    dispatcher = Dispatcher([plan], Ring(2), start_ns=clock.now_ns())
    works = [Work(clock)]
    executor = RealtimeExecutor(dispatcher, clock, [InlineLane(clock)], works)
    while works[0].settled < 10:
        executor.turn()
    clock.jump(9_000 * MS)
    while works[0].settled < 20:
        executor.turn()
    counts = dispatcher.misses.counters[0].counts()
    assert (counts.periods, counts.misses) == (20, 0)
    assert kinds(recorded(executor), Kind.CLOCK_BACK) == [(Kind.CLOCK_BACK, 0xFFFF, 0)]
    assert clock.now_ns() < 2_000 * MS and executor.raw_ns(dispatcher.now_ns) == clock.now_ns()


class Silent:
    """A lane that never ends what it begins, until `free`; then it does so in order."""

    def __init__(self, clock: ExactClock) -> None:
        self.inline = InlineLane(clock)
        self.held: list[tuple[object, ...]] = []
        self.hangs = True

    def begin(self, work, number, ended) -> None:  # type: ignore[no-untyped-def]
        if self.hangs:
            self.held.append((work, number, ended))
        else:
            self.inline.begin(work, number, ended)

    def free(self) -> None:
        self.hangs = False
        for each in self.held:
            self.inline.begin(*each)  # type: ignore[arg-type]

    def close(self) -> None: ...


def test_a_lane_that_never_ends_is_gone_around_and_used_again() -> None:
    clock = VirtualClock()
    tasks = (task("a", 1, 50, "dla0", "cpu0"), task("b", 1, 100, "dla0"), task("c", 1, 50, "cpu0"))
    watch = PlanWatch(TaskSet((LaneSpec("cpu0"), LaneSpec("dla0")), tasks))
    dispatcher = Dispatcher([watch.first_plan()], Ring(2))
    works, silent = [Work(clock) for _ in tasks], Silent(clock)
    executor = RealtimeExecutor(dispatcher, clock, [InlineLane(clock), silent], works, changes=watch)

    def until(milliseconds: int) -> None:
        while clock.now_ns() < milliseconds * MS:
            executor.turn()
            watch.look()

    until(500)
    a, b, c = dispatcher.misses.counters
    assert dispatcher.stuck_lanes == ("dla0",) and watch.news[0] == "lane dla0 hangs: no way around for b"
    assert (a.misses, c.misses) == (1, 0), "the job that hangs is lost, none after it"
    assert b.misses == b.periods == 4
    silent.free()
    until(1000)
    assert (a.misses, c.misses) == (1, 0) and b.misses <= 5 and not dispatcher.stuck_lanes
    assert works[1].values[-1] == b.periods - 1 and watch.news[-1] == "as at first: everything runs"
    assert dispatcher.plan_number == 0
    recorded(executor)


def test_a_real_thread_that_hangs_does_not_stop_the_loop() -> None:
    clock, let_go = MonotonicClock(), threading.Event()
    watch = PlanWatch(TaskSet((LaneSpec("a"), LaneSpec("b")), (task("t", 2, 50, "a"), task("u", 2, 50, "b"))))
    dispatcher = Dispatcher([watch.first_plan()], Ring(2), start_ns=clock.now_ns())
    lanes = [ThreadLane("a", clock), ThreadLane("b", clock)]
    works = [Work(clock, lambda job: let_go.wait(60.0)), Work(clock)]
    executor = RealtimeExecutor(dispatcher, clock, lanes, works, changes=watch)
    while works[1].settled < 6:
        executor.turn()
    assert dispatcher.stuck_lanes == ("a",) and dispatcher.misses.counters[0].misses >= 4
    let_go.set()
    while dispatcher.stuck_lanes or len(works[0].values) < 2:
        executor.turn()
    recorded(executor)
    for lane in lanes:
        lane.close()


def test_nothing_grows_however_long_it_runs() -> None:
    clock = VirtualClock()
    plan = PlanWatch(TaskSet((LaneSpec("cpu0"),), (task("a", 1, 20, jitter_ns=MS),))).first_plan()
    dispatcher = Dispatcher([plan], Ring(2))
    work = Work(clock)
    executor = RealtimeExecutor(dispatcher, clock, [InlineLane(clock)], [work])

    def run(jobs: int) -> int:
        while work.settled < jobs:
            executor.turn()
        work.values.clear()
        work.sensed.clear()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = run(4000)
        assert run(12_000) - before < 20_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("index", [0, 3])
def test_work_that_raises_is_missed_at_once(index: int) -> None:
    clock = VirtualClock()

    def doing(job: LiveJob) -> int:
        return 1 // (job.index - index)

    plan = PlanWatch(TaskSet((LaneSpec("cpu0"),), (task("a", 1, 20),))).first_plan()
    dispatcher = Dispatcher([plan], Ring(2))
    works = [Work(clock, doing)]
    executor = RealtimeExecutor(dispatcher, clock, [InlineLane(clock)], works)
    while works[0].settled < 5:
        executor.turn()
    assert kinds(recorded(executor), Kind.MISS, Kind.DROP) == [(Kind.MISS, 0, index), (Kind.DROP, 0, index)]
    assert str(works[0].values[index]).startswith("ZeroDivisionError")
