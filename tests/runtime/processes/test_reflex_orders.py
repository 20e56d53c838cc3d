from __future__ import annotations

import multiprocessing as mp
import pickle
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from premotor_planners.task.plan import NavigateTo, Plan
from premotor_runtime.app.attending import Orders
from premotor_runtime.app.core_sharing import LAYOUT, cores_left, share_a_core
from premotor_runtime.app.messages import Shutdown, Stop
from premotor_runtime.app.settings import Cores
from premotor_runtime.executor.clock import VirtualClock
from premotor_runtime.processes.board import OwnedBoard
from premotor_runtime.processes.settings import Supervision, WithoutBrain
from premotor_runtime.processes.watch import WatchLimits

KIT: Any = SimpleNamespace(
    surroundings=SimpleNamespace(world=SimpleNamespace(places=())), goal_of=lambda name: (1.0, 2.0, 0.0)
)


class Task:
    def __init__(self) -> None:
        self.executive: Any = None
        self.cancelled: list[str] = []

    def cancel(self, reason: str) -> None:
        self.cancelled.append(reason)


class Scene:
    def __init__(self, board: OwnedBoard, without: WithoutBrain = "finish") -> None:
        self.board, self.clock, self.task = board, VirtualClock(50.0), Task()
        self.ours, theirs = mp.Pipe()
        settings = Supervision(WatchLimits(silence_s=2.0), without_brain=without)
        task: Any = self.task
        clock: Any = self.clock
        self.orders = Orders(theirs, board, task, KIT, settings, clock)

    def at(self, second: float) -> list[str]:
        self.clock.sleep_until(second)
        self.orders.take()
        return self.task.cancelled


@pytest.fixture
def board() -> Iterator[OwnedBoard]:
    with OwnedBoard(LAYOUT) as made:
        yield made


def test_the_newest_plan_of_the_mailbox_is_carried_out_once(board: OwnedBoard) -> None:
    scene = Scene(board)
    scene.at(51.0)
    assert not scene.task.executive
    sender = board.plan_sender()
    for target in ("sofa", "desk"):
        sender.send(pickle.dumps(Plan((NavigateTo(target),), "llm")))
    scene.at(52.0)
    first = scene.task.executive
    assert [record.step.target for record in first.records] == ["desk"]
    assert scene.orders.started_s == 52.0
    assert sender.acknowledged == 2
    scene.at(53.0)
    assert scene.task.executive is first


def test_a_stop_is_reported_and_a_shutdown_is_not(board: OwnedBoard) -> None:
    scene = Scene(board)
    scene.ours.send(Stop("enough"))
    assert scene.at(51.0) == ["enough"]
    assert scene.orders.report_wanted
    scene.ours.send(Shutdown())
    scene.at(52.0)
    assert not scene.orders.report_wanted


def test_without_a_supervisor_the_robot_stops(board: OwnedBoard) -> None:
    scene = Scene(board)
    scene.ours.close()
    assert scene.at(51.0) == ["the supervisor is gone"]


@pytest.mark.parametrize(("without", "stops"), [("finish", []), ("stop", ["the brain is gone"])])
def test_without_a_brain_it_does_what_its_policy_says(
    board: OwnedBoard, without: WithoutBrain, stops: list[str]
) -> None:
    scene = Scene(board, without)
    assert scene.at(60.0) == []
    heart = board.heartbeat_writer("brain")
    heart.beat(1)
    assert scene.at(61.0) == []
    heart.beat(2)
    assert scene.at(62.0) == []
    assert [scene.at(62.5 + number * 0.5) for number in range(4)] == [[]] * 4
    assert scene.at(64.5) == stops


def test_one_core_is_shared_when_both_are_pinned_to_it_or_there_is_no_other() -> None:
    two = frozenset({0, 1})
    assert share_a_core(Cores(0, 0), two)
    assert not share_a_core(Cores(1, 0), two)
    assert not share_a_core(Cores(None, None), two)
    assert not share_a_core(Cores(7, 7), two)
    assert share_a_core(Cores(1, 0), frozenset({0}))


def test_everything_else_leaves_the_core_of_the_reflex_where_there_is_another() -> None:
    assert cores_left(Cores(1, 0), frozenset({0, 1})) == {0}
    assert cores_left(Cores(None, 0), frozenset({0, 1})) == {0, 1}
    assert cores_left(Cores(0, 0), frozenset({0})) == {0}
