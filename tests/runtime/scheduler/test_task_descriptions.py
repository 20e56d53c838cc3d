from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from premotor_accelerators.boards import load_board
from premotor_foundation.errors import ConfigError
from premotor_foundation.strict_yaml import parse
from premotor_runtime.scheduler.errors import BadTask, UnknownLane
from premotor_runtime.scheduler.task import Route, Segment, Stage, Stream, Task, fastest_first
from premotor_runtime.scheduler.task_set import LaneSpec, TaskSet, lanes_of

MS = 1_000_000
BOARDS = Path(__file__).parents[3] / "configs/boards"
Make = Callable[..., Task]


def test_a_lane_that_does_not_exist_is_refused_with_the_nearest_name(task: Make) -> None:
    with pytest.raises(UnknownLane, match=r"control wants lane `dla`, .* did you mean `dla1`"):
        TaskSet(lanes_of(load_board(BOARDS / "agx_orin_64.yaml")), (task("control", 1, 20, lane="dla"),))
    with pytest.raises(UnknownLane, match="llm wants lane `fpga7`, which does not exist; this board has gpu"):
        TaskSet((LaneSpec("gpu"),), (), (Stream("llm", ("fpga7",), MS),))


def test_a_smaller_version_is_checked_too(task: Make) -> None:
    with pytest.raises(UnknownLane):
        TaskSet((LaneSpec("gpu"),), (task("a", 2, 20, smaller=task("a", 1, 20, lane="cpu")),))
    with pytest.raises(BadTask, match="same name"):
        task("a", 2, 20, smaller=task("b", 1, 20))


@pytest.mark.parametrize(
    "wrong",
    [
        {"jitter_ns": 20 * MS},
        {"offset_ns": -1},
        {"m": 2, "k": 1},
        {"m": 1, "k": 2},
        {"route": 1},
        {"memory_bytes": -1},
        {"stage_deadlines_ns": (MS, 2 * MS)},
        {"stage_deadlines_ns": (21 * MS,)},
    ],
)
def test_a_task_that_contradicts_itself_is_refused(task: Make, wrong: dict[str, Any]) -> None:
    with pytest.raises(BadTask):
        task("a", 1, 20, **wrong)


def test_other_descriptions_that_mean_nothing_are_refused(task: Make) -> None:
    with pytest.raises(BadTask, match="deadline"):
        task("a", 1, 20, 21)
    with pytest.raises(BadTask):
        Segment("k", 0)
    with pytest.raises(BadTask):
        Stage("gpu", ())
    with pytest.raises(BadTask):
        Stream("llm", ("gpu",), MS, shortest_ns=2 * MS)
    with pytest.raises(BadTask):
        LaneSpec("gpu", 0)
    with pytest.raises(BadTask, match="names must differ"):
        TaskSet((LaneSpec("gpu"),), (task("a", 1, 20), task("a", 1, 20)))


def test_a_dla_core_takes_two_submissions() -> None:
    lanes = {lane.name: lane.in_flight for lane in lanes_of(load_board(BOARDS / "agx_orin_64.yaml"))}
    assert lanes == {"gpu": 1, "dla0": 2, "dla1": 2, "cpu0": 1, "cpu1": 1}


def test_a_task_set_is_read_from_yaml() -> None:
    text = """
lanes: [{name: gpu}]
tasks:
  - name: control
    criticality: hard
    period_ns: 20000000
    deadline_ns: 20000000
    routes: [{stages: [{lane: gpu, segments: [{name: mppi, cost_ns: 3000000}]}]}]
"""
    task_set = parse(text, TaskSet)
    assert task_set.tasks[0].stages[0].cost_ns == 3 * MS
    with pytest.raises(ConfigError, match="which does not exist"):
        parse(text.replace("lane: gpu", "lane: gp"), TaskSet)


def test_mandatory_jobs_are_exactly_m_of_every_k_successive_ones(task: Make) -> None:
    for m, k in ((1, 1), (1, 2), (2, 3), (3, 7), (5, 5)):
        firm = task("a", 1, 20, criticality="firm", m=m, k=k)
        pattern = [firm.mandatory(index) for index in range(5 * k)]
        assert all(sum(pattern[at : at + k]) == m for at in range(4 * k))


def test_the_lane_by_profile_is_the_one_with_the_cheapest_route(task: Make) -> None:
    routes = tuple(
        Route((Stage(lane, (Segment("k", cost),)),)) for lane, cost in (("gpu", 5), ("dla0", 3), ("cpu0", 3))
    )
    chosen = fastest_first(task("a", 1, 20, routes=routes))
    assert [route.stages[0].lane for route in chosen.routes] == ["dla0", "cpu0", "gpu"]
    assert chosen.stages[0].lane == "dla0"
