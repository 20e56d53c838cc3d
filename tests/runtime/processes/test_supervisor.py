"""With real processes, tiny ones: they beat on a board, and do nothing else."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection

import pytest

from premotor_foundation.errors import EXIT_FAILED, EXIT_USAGE
from premotor_runtime.app.child import Child, ProcessFailed
from premotor_runtime.app.messages import BrainReady, Failed, Planned, PlanTask, Shutdown
from premotor_runtime.app.supervised_brain import SupervisedBrain
from premotor_runtime.processes.back_off import RestartPolicy
from premotor_runtime.processes.board import Board, OwnedBoard
from premotor_runtime.processes.errors import BrainUnavailable
from premotor_runtime.processes.layout import BoardLayout
from premotor_runtime.processes.memory_use import available_bytes, be_first_to_go, resident_bytes
from premotor_runtime.processes.settings import Supervision
from premotor_runtime.processes.supervisor import Supervisor
from premotor_runtime.processes.watch import WatchLimits

PATIENCE_S = 300.0
PATIENT = Supervision(WatchLimits(silence_s=30.0), RestartPolicy(base_delay_s=0.01, longest_delay_s=0.01))


@pytest.fixture
def board() -> Iterator[OwnedBoard]:
    with OwnedBoard(BoardLayout(("core",))) as made:
        yield made


def beat(pipe: Connection, name: str) -> None:
    with Board(name) as board:
        heart = board.heartbeat_writer("brain")
        while not pipe.poll(0.005):
            heart.beat(time.monotonic_ns())


def grow(pipe: Connection, name: str) -> None:
    with Board(name) as board:
        heart = board.heartbeat_writer("brain")
        kept = []
        while not pipe.poll(0.005):
            kept.append(b"x" * (4 << 20))
            heart.beat(time.monotonic_ns())


def until(done: Callable[[], bool], tick: Callable[[float], None]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < give_up
        tick(time.monotonic())
        time.sleep(0.01)


def test_a_killed_process_is_started_again_and_serves(board: OwnedBoard) -> None:
    watcher = board.heartbeat_reader("brain")
    watched = Supervisor(lambda: Child("brain", beat, (board.name,)), watcher, PATIENT, time.monotonic())
    until(lambda: watched.served_s is not None, watched.tick)
    first = watched.process
    assert first is not None
    os.kill(first.pid, signal.SIGKILL)
    until(lambda: bool(watched.incidents) and watched.incidents[-1].served_s is not None, watched.tick)
    (incident,) = watched.incidents
    assert (incident.fault, incident.pid) == ("ended", first.pid)
    assert incident.restarted_s is not None
    assert incident.served_s is not None
    assert incident.seen_s <= incident.restarted_s <= incident.served_s
    assert watched.available
    watched.end()
    assert watched.process is None


def test_a_stopped_process_is_killed_for_its_silence(board: OwnedBoard) -> None:
    settings = Supervision(WatchLimits(silence_s=0.5))
    watcher = board.heartbeat_reader("brain")
    watched = Supervisor(lambda: Child("brain", beat, (board.name,)), watcher, settings, time.monotonic())
    until(lambda: watched.served_s is not None, watched.tick)
    first = watched.process
    assert isinstance(first, Child)
    os.kill(first.pid, signal.SIGSTOP)
    until(lambda: bool(watched.incidents), watched.tick)
    assert watched.incidents[0].fault == "silent"
    assert not first.alive()
    watched.end()


def test_a_leak_is_ended_before_the_machine_suffers(board: OwnedBoard) -> None:
    limit = 256 << 20
    settings = Supervision(WatchLimits(memory_bytes=limit), RestartPolicy(most_restarts=0))
    watcher = board.heartbeat_reader("brain")
    watched = Supervisor(lambda: Child("brain", grow, (board.name,)), watcher, settings, time.monotonic())
    until(lambda: bool(watched.incidents), watched.tick)
    assert watched.incidents[0].fault == "too much memory"
    assert not watched.available
    watched.tick(time.monotonic() + 1e6)
    assert watched.process is None


def test_what_a_process_uses_is_read_from_the_system() -> None:
    assert resident_bytes(os.getpid()) > 1 << 20
    assert resident_bytes(2**22 + 1) == 0
    assert available_bytes() > 0


def serve_after_two_deaths(pipe: Connection, name: str) -> None:
    """As a brain: its first two lives end when it is asked."""
    with Board(name) as board:
        heart, lives = board.heartbeat_writer("brain"), board.plan_sender()
        life = lives.send(b"")
        heart.beat(time.monotonic_ns())
        pipe.send(BrainReady(f"life {life}", 0.0))
        while not isinstance(order := pipe.recv(), Shutdown):
            if life < 3:
                os._exit(9)
            assert order == PlanTask("fetch")
            pipe.send(Planned(None, ()))  # type: ignore[arg-type]


def test_a_brain_that_dies_over_a_task_is_asked_again(board: OwnedBoard) -> None:
    with SupervisedBrain(lambda: Child("brain", serve_after_two_deaths, (board.name,)), board, PATIENT) as brain:
        assert brain.wait_ready(PATIENCE_S).model == "life 1"
        assert brain.plan("fetch", PATIENCE_S) == Planned(None, ())  # type: ignore[arg-type]
        assert [incident.fault for incident in brain.incidents] == ["ended", "ended"]
        assert brain.available


def die_when_asked(pipe: Connection) -> None:
    pipe.send(BrainReady("mortal", 0.0))
    pipe.recv()
    os._exit(9)


def test_a_brain_that_dies_too_often_is_unavailable(board: OwnedBoard) -> None:
    settings = Supervision(restart=RestartPolicy(base_delay_s=0.01, most_restarts=1))
    with SupervisedBrain(lambda: Child("brain", die_when_asked, ()), board, settings) as brain:
        brain.wait_ready(PATIENCE_S)
        with pytest.raises(BrainUnavailable, match=r"it was lost 2 times \(ended, ended\)"):
            brain.plan("fetch", PATIENCE_S)
        assert not brain.available
        assert brain.pid is None
        brain.send(PlanTask("into the void"))


def refuse(pipe: Connection) -> None:
    pipe.send(Failed("the checkpoint is cut short", EXIT_USAGE))


def test_a_brain_that_says_why_it_cannot_start_is_believed_and_not_restarted(board: OwnedBoard) -> None:
    with SupervisedBrain(lambda: Child("brain", refuse, ()), board, PATIENT) as brain:
        with pytest.raises(ProcessFailed, match="cut short") as caught:
            brain.wait_ready(PATIENCE_S)
        assert caught.value.exit_code == EXIT_USAGE


def fail_when_asked(pipe: Connection) -> None:
    pipe.send(BrainReady("nervous", 0.0))
    pipe.recv()
    pipe.send(Failed("MemoryError", EXIT_FAILED))


def test_a_brain_that_fails_over_a_task_is_restarted_as_one_that_dies(board: OwnedBoard) -> None:
    settings = Supervision(restart=RestartPolicy(base_delay_s=0.01, most_restarts=1))
    with SupervisedBrain(lambda: Child("brain", fail_when_asked, ()), board, settings) as brain:
        brain.wait_ready(PATIENCE_S)
        with pytest.raises(BrainUnavailable):
            brain.plan("fetch", PATIENCE_S)


def test_the_kernel_is_asked_to_end_the_brain_first(tmp_path: os.PathLike[str]) -> None:
    from pathlib import Path

    proc = Path(tmp_path) / "self"
    assert not be_first_to_go(Path(tmp_path))
    proc.mkdir()
    assert be_first_to_go(Path(tmp_path))
    assert (proc / "oom_score_adj").read_text() == "1000"
