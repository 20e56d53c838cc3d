from __future__ import annotations

import hashlib
import multiprocessing
import os
import threading
from multiprocessing.connection import Connection
from queue import SimpleQueue

import pytest

from premotor_runtime.app.outbox import Outbox
from premotor_runtime.executor.clock import MonotonicClock, VirtualClock
from premotor_runtime.executor.lane import Ended, InlineLane, ThreadLane
from premotor_runtime.executor.rights import take_rights


def test_work_is_done_in_order_on_the_lanes_own_thread() -> None:
    ended: SimpleQueue[Ended] = SimpleQueue()
    lane = ThreadLane("test", MonotonicClock())
    for number in range(20):
        lane.begin(lambda number=number: (number, threading.current_thread().name), number, ended)  # type: ignore[misc]
    found = [ended.get(timeout=30.0) for _ in range(20)]
    assert [each.value for each in found] == [(number, "test") for number in range(20)]
    assert [each.at_ns for each in found] == sorted(each.at_ns for each in found)
    lane.close()


def test_whoever_begins_is_back_at_once_whatever_the_work_does() -> None:
    clock, release = MonotonicClock(), threading.Event()
    ended: SimpleQueue[Ended] = SimpleQueue()
    lane = ThreadLane("test", clock)
    lane.begin(release.wait, 3, ended)
    assert clock.take(ended, clock.now_ns() + 5_000_000) is None
    release.set()
    assert ended.get(timeout=30.0)[::2] == (3, True)
    lane.close()


def test_an_error_is_a_value_with_a_reason_not_an_exception() -> None:
    for lane in (ThreadLane("test", MonotonicClock()), InlineLane(VirtualClock())):
        ended: SimpleQueue[Ended] = SimpleQueue()
        lane.begin(lambda: 1 // 0, 0, ended)
        found = ended.get(timeout=30.0)
        assert found.value is None and found.error.startswith("ZeroDivisionError")
        lane.close()


def test_a_computation_on_the_loops_own_core_does_not_keep_the_loop_from_its_deadline() -> None:
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("spawn").Process(target=_computes_through_a_deadline, args=(theirs,))
    child.start()
    assert ours.poll(120.0)
    permitted, seen = ours.recv()
    child.join(60.0)
    if not permitted:
        pytest.skip("SCHED_FIFO is not permitted here")
    assert seen == "deadline"


def _computes_through_a_deadline(pipe: Connection) -> None:
    """A hash of a second, which lets the interpreter go as a kernel does, and a deadline 50 ms after its begin."""
    rights = take_rights(min(os.sched_getaffinity(0)), sched_fifo=True)
    clock, ended = MonotonicClock(), SimpleQueue[Ended]()
    rounds = 20_000
    began = clock.now_ns()
    hashlib.pbkdf2_hmac("sha256", b"", b"", rounds)
    a_second = int(rounds * 1e9 / (clock.now_ns() - began))
    lane = ThreadLane("test", clock)
    lane.begin(lambda: hashlib.pbkdf2_hmac("sha256", b"", b"", a_second), 0, ended)
    found = clock.take(ended, clock.now_ns() + 50_000_000)
    pipe.send((rights.sched_fifo, "deadline" if found is None else "the end of the work"))


def test_a_helper_thread_has_the_loops_core_and_goes_after_its_lane_and_before_all_else() -> None:
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("spawn").Process(target=_helps, args=(theirs,))
    child.start()
    assert ours.poll(120.0)
    permitted, core, found = ours.recv()
    child.join(60.0)
    if not permitted:
        pytest.skip("SCHED_FIFO is not permitted here")
    assert found == ({core}, os.SCHED_FIFO, 48)


def _helps(pipe: Connection) -> None:
    core = min(os.sched_getaffinity(0))
    ready, wanted = multiprocessing.Pipe()
    outbox = Outbox(wanted)
    rights = take_rights(core, sched_fifo=True)
    outbox.start()
    outbox.offer("begun")
    assert ready.poll(60.0)
    helper = next(thread.native_id for thread in threading.enumerate() if thread.name == "outbox")
    assert helper is not None
    priority = os.sched_getparam(helper).sched_priority
    found = os.sched_getaffinity(helper), os.sched_getscheduler(helper), priority
    pipe.send((rights.sched_fifo, core, found))
    outbox.close()
