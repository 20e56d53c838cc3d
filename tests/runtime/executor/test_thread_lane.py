from __future__ import annotations

import threading
from queue import SimpleQueue

from premotor_runtime.executor.clock import MonotonicClock, VirtualClock
from premotor_runtime.executor.lane import Ended, InlineLane, ThreadLane


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
