"""A recorded sysfs tree stands for a board that gets warm, is throttled and cools down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from premotor_accelerators.board_state import BoardState, Clock, read_board_state
from premotor_accelerators.boards import Board, load_board
from premotor_runtime.scheduler.admission import Admitted, Refused
from premotor_runtime.scheduler.errors import ProfileMissing
from premotor_runtime.scheduler.power.adapting import Adaptation, adapt, in_condition, without_lanes
from premotor_runtime.scheduler.power.condition import Condition, HeatLimits, condition_of
from premotor_runtime.scheduler.power.cost_rows import CostRow, row_for
from premotor_runtime.scheduler.power.temperatures import Zone, read_heat
from premotor_runtime.scheduler.task import Route, Segment, Stage, Stream, Task
from premotor_runtime.scheduler.task_set import TaskSet, lanes_of

MS = 1_000_000
Make = Callable[..., Task]
ZONE = "sys/devices/virtual/thermal/thermal_zone"
RAIL = "sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3"
GPU = "sys/devices/platform/bus@0/17000000.gpu/devfreq/17000000.gpu"
RECORDED = {
    "etc/nvpmodel.conf": "< POWER_MODEL ID=0 NAME=MAXN >\n< POWER_MODEL ID=2 NAME=MODE_30W >\n",
    "var/lib/nvpmodel/status": "pmode:0000 fmode:fanNull\n",
    f"{GPU}/cur_freq": "1300000000\n",
    f"{GPU}/max_freq": "1300000000\n",
    "sys/kernel/nvpmodel_clk_cap/emc": "3199000000\n",
    f"{ZONE}0/type": "cpu-thermal\n",
    f"{ZONE}0/temp": "52375\n",
    f"{ZONE}0/trip_point_0_type": "passive\n",
    f"{ZONE}0/trip_point_0_temp": "99000\n",
    f"{ZONE}0/trip_point_1_type": "critical\n",
    f"{ZONE}0/trip_point_1_temp": "104500\n",
    f"{ZONE}1/type": "gpu-thermal\n",
    f"{ZONE}1/temp": "50000\n",
    f"{ZONE}1/trip_point_0_type": "passive\n",
    f"{ZONE}1/trip_point_0_temp": "99000\n",
    f"{ZONE}2/type": "cv0-thermal\n",
    f"{ZONE}2/temp": "-256000\n",
    f"{ZONE}10/type": "tj-thermal\n",
    f"{ZONE}10/temp": "52375\n",
    "sys/devices/virtual/thermal/cooling_device0/type": "pwm-fan\n",
    "sys/devices/virtual/thermal/cooling_device0/cur_state": "3\n",
    "sys/devices/virtual/thermal/cooling_device1/type": "gpu-throttle\n",
    "sys/devices/virtual/thermal/cooling_device1/cur_state": "0\n",
    f"{RAIL}/in1_label": "VDD_GPU_SOC\n",
    f"{RAIL}/in1_input": "19200\n",
    f"{RAIL}/curr1_input": "500\n",
}


@pytest.fixture
def tree(write_tree: Callable[[Mapping[str, str]], Path]) -> Path:
    return write_tree(RECORDED)


@pytest.fixture
def board() -> Board:
    return load_board(Path(__file__).parents[3] / "configs/boards/agx_orin_64.yaml")


def condition(tree: Path, board: Board, before: Condition | None = None) -> Condition:
    return condition_of(board, read_board_state(tree), read_heat(tree), HeatLimits(), before)


def adapted(task_set: TaskSet, rows: tuple[CostRow, ...], found: Condition, board: Board) -> Adaptation:
    return adapt(in_condition(task_set, rows, found, board))


def wanted(task: Make, board: Board) -> tuple[TaskSet, tuple[CostRow, ...]]:
    lanes = (Route((Stage("gpu", (Segment("mppi", 1),)),)), Route((Stage("cpu0", (Segment("mppi", 1),)),)))
    half = task("control", 1, 20, routes=(Route((Stage("gpu", (Segment("mppi_half", 1),)),)),))
    control = task("control", 1, 20, routes=lanes[:1], smaller=half)
    steps = Stream("llm", ("gpu",), 40 * MS, 2 * MS)
    costs = {("mppi", "gpu"): 15 * MS, ("mppi", "cpu0"): 40 * MS, ("mppi_half", "gpu"): 8 * MS, ("llm", "gpu"): 40 * MS}
    return TaskSet(lanes_of(board), (control,), (steps,)), (CostRow("MAXN", 3199.0, costs),)


def test_temperatures_and_power_are_read(tree: Path, tmp_path: Path) -> None:
    heat = read_heat(tree)
    assert heat.zones == (
        Zone("cpu-thermal", 52.375, 99.0),
        Zone("gpu-thermal", 50.0, 99.0),
        Zone("tj-thermal", 52.375, None),
    )
    assert heat.headroom_c == pytest.approx(46.625)
    assert heat.throttling == () and heat.watts == (("VDD_GPU_SOC", 9.6),)
    nothing = read_heat(tmp_path / "nothing")
    assert (nothing.zones, nothing.headroom_c, nothing.watts) == ((), None, ())


def test_a_cool_board_runs_what_was_wanted(tree: Path, board: Board, task: Make) -> None:
    task_set, rows = wanted(task, board)
    found = adapted(task_set, rows, condition(tree, board), board)
    assert isinstance(found.admission, Admitted) and not found.degraded
    assert found.admission.plan.tasks[0].stages[0].cost_ns == 15 * MS
    assert found.admission.plan.task_set.contention.capacity_mbps == 204_800


def test_it_degrades_before_the_clocks_drop_and_recovers_with_hysteresis(tree: Path, board: Board, task: Make) -> None:
    task_set, rows = wanted(task, board)
    (tree / f"{ZONE}0/temp").write_text("95000\n")
    hot = condition(tree, board)
    assert hot.hot and hot.slowdown_milli("tensorrt") == 1300
    found = adapted(replace(task_set, tasks=(replace(task_set.tasks[0], deadline_ns=18 * MS),)), rows, hot, board)
    assert [change.text for change in found.changes] == ["a smaller model (version 1) for control"]
    assert isinstance(found.admission, Admitted)
    (tree / f"{ZONE}0/temp").write_text("92000\n")
    still = condition(tree, board, hot)
    assert still.hot, "within the hysteresis"
    (tree / f"{ZONE}0/temp").write_text("90000\n")
    assert not condition(tree, board, still).hot
    assert not adapted(task_set, rows, condition(tree, board, still), board).degraded


def test_throttled_clocks_count_by_their_caps(tree: Path, board: Board) -> None:
    (tree / f"{GPU}/max_freq").write_text("650000000\n")
    assert condition(tree, board).slowdown_milli("tensorrt") == 2000
    assert condition(tree, board).slowdown_milli("dla") == 1000
    (tree / "sys/devices/virtual/thermal/cooling_device1/cur_state").write_text("2\n")
    assert condition(tree, board).slowdown_milli("tensorrt") == 2600


def test_a_power_mode_that_was_measured_switches_the_row(tree: Path, board: Board, task: Make) -> None:
    task_set, rows = wanted(task, board)
    slow = CostRow("MODE_30W", 3199.0, {name: 2 * cost for name, cost in rows[0].costs_ns.items()})
    (tree / "var/lib/nvpmodel/status").write_text("pmode:0002 fmode:fanNull\n")
    (tree / f"{GPU}/max_freq").write_text("612000000\n")
    found = adapted(task_set, (*rows, slow), condition(tree, board), board)
    assert row_for((*rows, slow), condition(tree, board), board) == (slow, 1000)
    assert [change.text for change in found.changes] == ["a smaller model (version 1) for control"]


def test_a_state_that_was_not_measured_is_bounded_by_its_slowest_clock(tree: Path, board: Board, task: Make) -> None:
    _, rows = wanted(task, board)
    lifted = condition(tree, board)
    capped = replace(lifted, memory_mhz=2133.0)
    assert row_for(rows, capped, board) == (rows[0], 1500)
    watts_30 = replace(lifted, power_mode="MODE_30W")
    assert row_for(rows, watts_30, board)[1] == -int(-1000 * (16 / 8) * (1300 / 612) // 1)
    with pytest.raises(ProfileMissing, match="the power mode"):
        row_for(rows, replace(lifted, power_mode="MODE_99W"), board)
    with pytest.raises(ProfileMissing, match="nothing was measured on this board"):
        row_for((), lifted, board)
    with pytest.raises(ProfileMissing, match="how fast the memory is"):
        row_for(rows, replace(lifted, memory_mhz=None), board)


def test_a_kernel_that_was_not_measured_is_refused(tree: Path, board: Board, task: Make) -> None:
    task_set, rows = wanted(task, board)
    less = replace(rows[0], costs_ns={key: cost for key, cost in rows[0].costs_ns.items() if key[0] != "mppi_half"})
    with pytest.raises(ProfileMissing, match="mppi_half was not measured on lane gpu in power mode MAXN"):
        adapted(task_set, (less,), condition(tree, board), board)


def test_when_nothing_fits_the_adaptation_says_so(tree: Path, board: Board, task: Make) -> None:
    task_set, rows = wanted(task, board)
    single = replace(task_set, tasks=(replace(task_set.tasks[0], smaller=None),))
    state = BoardState(None, None, "MAXN", Clock(None, None), Clock(None, 900.0), Clock(None, 3199.0), ())
    heat = read_heat(tree)
    condition_now = condition_of(board, state, heat, HeatLimits())
    found = adapted(replace(single, tasks=(replace(single.tasks[0], period_ns=20 * MS),)), rows, condition_now, board)
    assert isinstance(found.admission, Refused) and found.degraded


def test_around_a_lane_that_hangs(task: Make, board: Board) -> None:
    two = (Route((Stage("dla0", (Segment("k", MS),)),)), Route((Stage("gpu", (Segment("k", 2 * MS),)),)))
    half = (Route((Stage("dla0", (Segment("k", MS // 2),)),)),)
    task_set = TaskSet(
        lanes_of(board),
        (task("a", 1, 20, routes=two, smaller=task("a", 1, 20, routes=half)), task("b", 1, 20, lane="dla0")),
        (Stream("llm", ("gpu", "cpu0"), MS), Stream("vision", ("dla0",), MS)),
    )
    left, stranded = without_lanes(task_set, ("dla0",))
    assert [(each.name, each.stages[0].lane, len(each.routes)) for each in left.tasks] == [
        ("a", "gpu", 1),
        ("b", "dla0", 1),
    ], "there is no way back to it down the ladder of remedies"
    assert left.tasks[0].smaller is None
    assert [stream.lane_name for stream in left.streams] == ["gpu", "dla0"]
    assert stranded == ("b", "vision")
    assert without_lanes(task_set, ()) == (task_set, ())
    assert without_lanes(task_set, ("dla0", "gpu"))[1] == ("a", "b", "vision")


def test_what_cannot_be_read_now_is_as_it_was(tree: Path, board: Board) -> None:
    (tree / f"{GPU}/max_freq").write_text("650000000\n")
    (tree / f"{ZONE}0/temp").write_text("95000\n")
    before = condition(tree, board)
    assert (before.hot, before.slowdown_milli("tensorrt")) == (True, 2600)
    for gone in ("var/lib/nvpmodel/status", f"{GPU}/max_freq", "sys/kernel/nvpmodel_clk_cap/emc"):
        (tree / gone).unlink()
    assert condition(tree, board, before) == before
    for zone in (0, 1, 10):
        (tree / f"{ZONE}{zone}/temp").unlink()
    blind = condition(tree, board, before)
    assert blind == before, "a sensor that cannot be read has not cooled down"


def test_clocks_that_waver_ask_for_few_plans(tree: Path, board: Board) -> None:
    found = set()
    for hertz in range(1_240_000_000, 1_300_000_000, 1_000_000):
        (tree / f"{GPU}/max_freq").write_text(f"{hertz}\n")
        found.add(condition(tree, board).slowdown_milli("tensorrt"))
    assert found == {1050}, "rounded up, never down"
