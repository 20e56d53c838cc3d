"""A configured board gets hot, is held down and cools off under the control task that was rehearsed on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from premotor_foundation.errors import UsageError
from premotor_runtime.app.board_watch import watch_for
from premotor_runtime.executor.control_plan import ControlTiming
from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.power.watch import PlanWatch
from premotor_runtime.scheduler.recording import Ring

MS = 1_000_000
TIMING = ControlTiming(rate_hz=50.0, deadline_ms=20.0, sense_share=0.25)
PROFILE = (13 * MS, 7 * MS)
ZONE = "sys/class/thermal/thermal_zone0"
CPU = "sys/devices/system/cpu/cpu0/cpufreq"
TREE = {
    "etc/nvpmodel.conf": "< POWER_MODEL ID=0 NAME=MAXN >\n",
    "var/lib/nvpmodel/status": "pmode:0000\n",
    f"{CPU}/scaling_cur_freq": "2201600\n",
    f"{CPU}/scaling_max_freq": "2201600\n",
    f"{ZONE}/type": "cpu-thermal\n",
    f"{ZONE}/temp": "50000\n",
    f"{ZONE}/trip_point_0_type": "passive\n",
    f"{ZONE}/trip_point_0_temp": "99000\n",
}


@pytest.fixture
def tree(write_tree: Callable[[Mapping[str, str]], Path]) -> Path:
    return write_tree(TREE)


def started(tree: Path, board: str = "agx_orin_64") -> tuple[PlanWatch, Dispatcher]:
    watch = watch_for(board, TIMING, 1, PROFILE, tree)
    assert watch is not None
    return watch, Dispatcher([watch.first_plan()], Ring(4))


def looked(watch: PlanWatch, dispatcher: Dispatcher) -> str:
    """What the loop runs after a look: the name of its segment, or why nothing may move."""
    watch.look()
    watch.carry_out(dispatcher, dispatcher.now_ns)
    return watch.halted or dispatcher.plan.tasks[0].task.routes[0].stages[0].segments[0].name


@pytest.mark.parametrize("board", ["agx_orin_64", "laptop"])
def test_a_hot_board_makes_the_work_smaller_before_it_is_throttled_and_a_cool_one_larger_again(
    tree: Path, board: str
) -> None:
    watch, dispatcher = started(tree, board)
    assert looked(watch, dispatcher) == "decide" and not watch.news
    (tree / f"{ZONE}/temp").write_text("96000\n")
    assert looked(watch, dispatcher) == "decide at level 1"
    (tree / f"{ZONE}/temp").write_text("60000\n")
    assert looked(watch, dispatcher) == "decide"
    assert len(watch.news) == 2 and "hot" in watch.news[0]


def test_where_nothing_fits_the_robot_is_halted_with_the_reason_until_the_clock_comes_back(tree: Path) -> None:
    watch, dispatcher = started(tree)
    (tree / f"{CPU}/scaling_max_freq").write_text("700000\n")
    assert "control" in looked(watch, dispatcher)
    (tree / f"{CPU}/scaling_max_freq").write_text("2201600\n")
    assert looked(watch, dispatcher) == "decide"


def test_no_board_no_watch_and_an_unknown_one_is_refused_with_those_there_are() -> None:
    assert watch_for(None, TIMING, 1, PROFILE) is None
    with pytest.raises(UsageError, match=r"no board called `orin`; known: .*agx_orin_64"):
        watch_for("orin", TIMING, 1, PROFILE)


def test_a_lane_that_was_late_once_and_has_no_way_around_changes_nothing_and_is_no_news(tree: Path) -> None:
    watch, dispatcher = started(tree)
    for stuck in (("reflex",), ()):
        watch.lanes_stuck(stuck)
        assert looked(watch, dispatcher) == "decide"
    assert not watch.news
