from __future__ import annotations

import os
import signal
import time
from multiprocessing.connection import Connection

import pytest

from premotor_runtime.app.child import Child, ProcessFailed
from premotor_runtime.app.messages import Failed, PlanTask, Shutdown, Stop


def echo(pipe: Connection) -> None:
    while not isinstance(message := pipe.recv(), Shutdown):
        pipe.send(message)


def die(pipe: Connection) -> None:
    pipe.recv()
    os._exit(7)


def complain(pipe: Connection) -> None:
    pipe.send(Failed("the checkpoint is cut short", 2))


def ignore(pipe: Connection) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


def test_messages_cross_and_leaving_ends_the_process() -> None:
    with Child("echo", echo, ()) as child:
        child.send(PlanTask("go"))
        assert child.expect(PlanTask, 30.0) == PlanTask("go")
        child.send(Stop("skipped"))
        child.send(PlanTask("again"))
        assert child.expect(PlanTask, 30.0) == PlanTask("again")
        assert child.receive(0.0) is None
    assert child._process.exitcode == 0


def test_a_process_that_dies_is_an_error_with_its_exit_code() -> None:
    with pytest.raises(ProcessFailed, match="exit code 7"), Child("dying", die, ()) as child:
        child.send(PlanTask("go"))
        child.expect(PlanTask, 30.0)


def test_a_process_that_cannot_go_on_says_why_and_with_which_exit_code() -> None:
    with pytest.raises(ProcessFailed, match="cut short") as caught, Child("complaining", complain, ()) as child:
        child.expect(PlanTask, 30.0)
    assert caught.value.exit_code == 2


def test_a_process_that_hangs_is_killed_when_its_parent_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("premotor_runtime.app.child.STOP_TIMEOUT_S", 0.5)
    with pytest.raises(ProcessFailed, match="said nothing"), Child("hanging", ignore, ()) as child:
        child.expect(PlanTask, 0.1)
    assert child._process.exitcode == -signal.SIGKILL
