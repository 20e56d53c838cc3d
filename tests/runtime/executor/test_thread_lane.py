from __future__ import annotations

import threading

from premotor_runtime.executor.clock import MonotonicClock
from premotor_runtime.executor.job import Job
from premotor_runtime.executor.lane import ThreadLane


def job(clock: MonotonicClock, seconds: float) -> Job:
    return Job("control", "reflex", clock.now(), clock.now() + seconds, "hard")


def test_a_result_in_time_is_handed_over() -> None:
    clock = MonotonicClock()
    lane = ThreadLane("test", clock)
    outcome = lane.run(job(clock, 30.0), lambda: 42)
    assert (outcome.value, outcome.missed) == (42, False)
    lane.close()


def test_the_caller_is_back_at_the_deadline_and_a_late_result_is_dropped() -> None:
    clock = MonotonicClock()
    lane = ThreadLane("test", clock)
    release = threading.Event()
    late = lane.run(job(clock, 0.01), release.wait)
    assert late.missed and late.value is None
    blocked = lane.run(job(clock, 30.0), lambda: 1)
    assert blocked.missed, "a job must not queue behind a late one"
    release.set()
    outcome = None
    for _ in range(1000):
        outcome = lane.run(job(clock, 30.0), lambda: 2)
        if not outcome.missed:
            break
        clock.sleep_until(clock.now() + 0.01)
    assert outcome is not None and outcome.value == 2
    lane.close()


def test_an_error_is_a_missed_job_with_a_reason_not_an_exception() -> None:
    clock = MonotonicClock()
    lane = ThreadLane("test", clock)
    outcome = lane.run(job(clock, 30.0), lambda: 1 // 0)
    assert outcome.missed and outcome.value is None
    assert outcome.error.startswith("ZeroDivisionError")
    lane.close()
