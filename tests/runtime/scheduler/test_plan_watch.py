"""A recorded sysfs tree gets warm, is throttled and cools down under a running dispatcher in virtual time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from premotor_accelerators.boards import Board, load_board
from premotor_runtime.executor.watch_thread import WatchThread
from premotor_runtime.scheduler.admission import admit_or_raise
from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.errors import NotSchedulable, ProfileMissing
from premotor_runtime.scheduler.live import LiveJob
from premotor_runtime.scheduler.power.cost_rows import CostRow
from premotor_runtime.scheduler.power.watch import PlanWatch, measured_on, read_board
from premotor_runtime.scheduler.record_file import dump, load
from premotor_runtime.scheduler.recording import Kind, Ring
from premotor_runtime.scheduler.replay import replay
from premotor_runtime.scheduler.task import Route, Segment, Stage, Stream, Task
from premotor_runtime.scheduler.task_set import LaneSpec, TaskSet, lanes_of
from premotor_runtime.scheduler.virtual_engine import EngineCosts, VirtualEngine
from premotor_runtime.scheduler.virtual_time import VirtualExecutor, worst_case

MS = 1_000_000
LOOK = 50 * MS
Make = Callable[..., Task]
MODE = "var/lib/nvpmodel/status"
TEMPERATURE = "sys/class/thermal/thermal_zone0/temp"
GPU_CAP = "sys/devices/platform/17000000.gpu/devfreq_dev/max_freq"
TREE = {
    "etc/nvpmodel.conf": "< POWER_MODEL ID=0 NAME=MAXN >\n< POWER_MODEL ID=2 NAME=MODE_30W >\n",
    MODE: "pmode:0000\n",
    GPU_CAP: "1300000000\n",
    "sys/kernel/nvpmodel_clk_cap/emc": "3199000000\n",
    "sys/class/thermal/thermal_zone0/type": "gpu-thermal\n",
    TEMPERATURE: "50000\n",
    "sys/class/thermal/thermal_zone0/trip_point_0_type": "passive\n",
    "sys/class/thermal/thermal_zone0/trip_point_0_temp": "99000\n",
}


@pytest.fixture
def tree(write_tree: Callable[[Mapping[str, str]], Path]) -> Path:
    return write_tree(TREE)


@pytest.fixture
def board() -> Board:
    return load_board(Path(__file__).parents[3] / "configs/boards/agx_orin_64.yaml")


class Machine:
    """A board in virtual time whose GPU is as slow as `true_milli` says; a watch looks every 50 ms."""

    def __init__(self, tree: Path, board: Board, task: Make) -> None:
        half = task("control", 1, 20, routes=(Route((Stage("gpu", (Segment("half", 1),)),)),))
        control = task("control", 1, 20, 18, routes=(Route((Stage("gpu", (Segment("mppi", 1),)),)),))
        wanted = TaskSet(lanes_of(board), (replace(control, smaller=replace(half, deadline_ns=18 * MS)),),
                         (Stream("llm", ("gpu",), 40 * MS, 2 * MS),))  # fmt: skip
        costs = {("mppi", "gpu"): 15 * MS, ("half", "gpu"): 8 * MS, ("llm", "gpu"): 40 * MS}
        self.tree, self.true_milli = tree, 1000
        self.watch = PlanWatch(wanted, read_board(board, tree), measured_on(board, (CostRow("MAXN", 3199.0, costs),)))
        self.dispatcher = Dispatcher([self.watch.first_plan()], Ring(4))
        self.costs = costs
        models = [VirtualEngine(EngineCosts(MS, 50_000, 100_000))]
        self.executor = VirtualExecutor(self.dispatcher, self._took, models=models)

    def _took(self, job: LiveJob, stage: int, segment: int) -> int:
        name = job.planned.stages[stage].segments[segment].name
        return self.costs[name, "gpu"] * self.true_milli // 1000

    def run(self, milliseconds: int) -> None:
        end = self.executor.now_ns + milliseconds * MS
        while self.executor.now_ns < end:
            self.executor.run_until(self.executor.now_ns + LOOK)
            self.watch.look()
            self.executor.submit(self.watch.carry_out(self.dispatcher, self.executor.now_ns))

    def write(self, name: str, content: str) -> None:
        (self.tree / name).write_text(f"{content}\n")

    @property
    def misses(self) -> int:
        return self.dispatcher.misses.counters[0].misses

    @property
    def work(self) -> str:
        return self.dispatcher.plan.tasks[0].stages[0].segments[0].name


def test_it_degrades_before_deadlines_are_lost_and_gives_everything_back(tree: Path, board: Board, task: Make) -> None:
    machine = Machine(tree, board, task)
    machine.run(500)
    assert (machine.work, machine.misses) == ("mppi", 0)
    machine.write(TEMPERATURE, "95000")
    machine.run(100)
    assert machine.work == "half", "it is hot, but nothing is slower yet"
    machine.write(GPU_CAP, "1000000000")
    machine.true_milli = 1300
    machine.run(500)
    machine.true_milli = 1000
    machine.write(GPU_CAP, "1300000000")
    machine.write(TEMPERATURE, "92000")
    machine.run(300)
    assert machine.work == "half", "within the hysteresis"
    machine.write(TEMPERATURE, "90000")
    machine.run(500)
    assert (machine.work, machine.misses, machine.watch.halted) == ("mppi", 0, "")
    recording = load(dump(machine.dispatcher))
    assert replay(recording) == recording.data
    switches = [record.value for record in recording.records() if record.kind == Kind.SWITCH]
    assert switches[0] == 1 and switches[-1] == 0
    assert machine.watch.news[0].endswith("hot: a smaller model (version 1) for control")
    assert machine.watch.news[-1] == "power mode MAXN: everything runs"


def test_states_that_come_and_go_cost_no_memory(tree: Path, board: Board, task: Make) -> None:
    machine = Machine(tree, board, task)
    for _ in range(20):
        for celsius in ("95000", "50000"):
            machine.write(TEMPERATURE, celsius)
            machine.run(100)
    assert len(machine.dispatcher.plans) == 2 and machine.misses == 0
    assert len(machine.watch.news) == 40


def test_where_nothing_fits_the_robot_is_to_brake_until_something_does(tree: Path, board: Board, task: Make) -> None:
    machine = Machine(tree, board, task)
    machine.write(GPU_CAP, "300000000")
    machine.run(100)
    assert "nothing on the ladder helps" in machine.watch.halted
    assert machine.work == "mppi", "the plan stays: its misses are counted"
    machine.write(GPU_CAP, "1300000000")
    machine.run(100)
    assert machine.watch.halted == ""
    halts = [record.value for record in load(dump(machine.dispatcher)).records() if record.kind == Kind.HALT]
    assert halts == [1, 0]


def test_a_power_mode_without_a_profile_is_refused_with_the_remedy(tree: Path, board: Board, task: Make) -> None:
    machine = Machine(tree, board, task)
    machine.write(MODE, "pmode:0009")
    machine.run(100)
    assert "run `premotor profile` in that state" in machine.watch.halted and "mode 9" in machine.watch.halted
    with pytest.raises(ProfileMissing, match="premotor profile"):
        Machine(tree, board, task)


def test_a_board_on_which_nothing_fits_is_refused_at_start(tree: Path, board: Board, task: Make) -> None:
    (tree / GPU_CAP).write_text("300000000\n")
    with pytest.raises(NotSchedulable, match=r"not admitted: the deadline of control .* nothing on the ladder helps"):
        Machine(tree, board, task)


def test_missing_files_are_tolerated(tree: Path, board: Board, task: Make) -> None:
    machine = Machine(tree, board, task)
    for name in TREE:
        (tree / name).unlink()
    machine.run(200)
    assert (machine.work, machine.watch.halted, len(machine.watch.news)) == ("mppi", "", 0)


def around(task: Make) -> TaskSet:
    two = (Route((Stage("dla0", (Segment("k", 2 * MS),)),)), Route((Stage("gpu", (Segment("k", 4 * MS),)),)))
    tasks = (task("a", 1, 20, routes=two), task("b", 2, 40, lane="dla0"), task("c", 3, 20))
    return TaskSet((LaneSpec("gpu"), LaneSpec("dla0")), tasks)


@pytest.mark.parametrize("hangs_ns", [1 << 60, 330 * MS])
def test_a_lane_that_hangs_is_gone_around_and_used_again_when_it_works(task: Make, hangs_ns: int) -> None:
    """Job 5 of `b` never ends, or 330 ms late; `a` has another way, `b` has none."""

    def durations(job: LiveJob, stage: int, segment: int) -> int:
        hangs = job.planned.task.name == "b" and job.index == 5
        return hangs_ns if hangs else worst_case(job, stage, segment)

    watch = PlanWatch(around(task))
    dispatcher = Dispatcher([watch.first_plan()], Ring(2))
    executor = VirtualExecutor(dispatcher, durations)
    stuck: tuple[str, ...] = ()
    for now in range(0, 1000 * MS, MS):
        executor.run_until(now)
        if dispatcher.stuck_lanes != stuck:
            stuck = dispatcher.stuck_lanes
            watch.lanes_stuck(stuck)
            watch.look()
        elif now % LOOK == 0:
            watch.look()
        executor.submit(watch.carry_out(dispatcher, now))
    a, b, c = (counter.counts() for counter in dispatcher.misses.counters)
    assert (a.misses, c.misses) == (0, 0), "b has the longer deadline: the watchdog fires before a is due"
    assert watch.news[0] == "lane dla0 hangs: no way around for b"
    if hangs_ns > 1000 * MS:
        assert b.longest_run >= 18 and dispatcher.stuck_lanes == ("dla0",)
        assert dispatcher.plan.tasks[0].task.stages[0].lane == "gpu"
    else:
        assert b.misses == 8 and watch.news[-1] == "as at first: everything runs"
        assert dispatcher.plan.tasks[0].task.stages[0].lane == "dla0"
    recording = load(dump(dispatcher))
    assert replay(recording) == recording.data


def test_around_a_lane_less_is_done_where_the_rest_does_not_fit(task: Make) -> None:
    two = (Route((Stage("dla0", (Segment("k", 2 * MS),)),)), Route((Stage("gpu", (Segment("k", 16 * MS),)),)))
    small = task("a", 1, 20, routes=(Route((Stage("gpu", (Segment("s", 8 * MS),)),)),))
    tasks = (task("a", 1, 20, routes=two, smaller=small), task("c", 8, 20))
    wanted = TaskSet((LaneSpec("gpu"), LaneSpec("dla0")), tasks)
    watch = PlanWatch(wanted)
    dispatcher = Dispatcher([watch.first_plan()], Ring(2))
    watch.look(("dla0",))
    watch.carry_out(dispatcher, 0)
    assert watch.news[-1] == "lane dla0 hangs: a smaller model (version 1) for a"
    watch.look(("dla0", "gpu"))
    watch.carry_out(dispatcher, 0)
    assert "no way around for a" in watch.news[-1] and "no way around for c" in watch.news[-1]


def test_the_watch_has_a_thread_of_its_own(task: Make) -> None:
    watch = PlanWatch(around(task))
    dispatcher = Dispatcher([watch.first_plan()], Ring(2))
    with WatchThread(watch, 30.0):
        watch.lanes_stuck(("dla0",))
        for _ in range(3000):
            watch.carry_out(dispatcher, 0)
            if watch.news:
                break
            time.sleep(0.01)
    assert dispatcher.plan.tasks[0].task.stages[0].lane == "gpu"
    assert admit_or_raise(dispatcher.plan.task_set)
