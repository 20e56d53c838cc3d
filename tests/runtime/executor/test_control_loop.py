from __future__ import annotations

import json
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_runtime.executor.clock import MonotonicClock, VirtualClock
from premotor_runtime.executor.control_loop import ControlLoop, ControlTiming, schedule_json
from premotor_runtime.executor.lane import InlineLane, ThreadLane
from premotor_runtime.executor.period_log import PeriodLog
from premotor_runtime.scheduler.miss_ladder import MissLadder
from premotor_runtime.scheduler.record_file import load
from premotor_runtime.scheduler.replay import replay

TIMING = ControlTiming(rate_hz=20.0, deadline_ms=40.0)


class ScriptedTask:
    """Decides in the given times, half of it at level 1; raises at -1. Records what was commanded and when."""

    levels = 1
    prepare_s = 0.0

    def __init__(self, clock: VirtualClock, decide_s: list[float]) -> None:
        self.clock = clock
        self.decide_s = decide_s
        self.sensed = 0
        self.commands: list[str] = []
        self.acted_at: list[float] = []
        self.elapsed: list[float] = []
        self.prepared: list[int] = []

    @property
    def finished(self) -> bool:
        return self.sensed >= len(self.decide_s)

    def sense(self, elapsed_s: float) -> int:
        self.elapsed.append(elapsed_s)
        self.sensed += 1
        return self.sensed - 1

    def decide(self, observation: int, level: int) -> str:
        duration = self.decide_s[min(observation, len(self.decide_s) - 1)]
        if duration < 0.0:
            raise ValueError("no")
        self.clock.spend(duration / (1 + level))
        return f"plan{observation}" + "'" * level

    def rehearse(self, level: int) -> None: ...

    def hold_shifted(self, observation: int, periods: int) -> str:
        return f"shift{periods}"

    def brake(self, observation: int) -> str:
        return "brake"

    def fallback(self, observation: int) -> str:
        return "fallback"

    def guard(self, observation: int, command: str) -> str:
        return f"safe {command}"

    def act(self, command: str) -> None:
        self.commands.append(command.removeprefix("safe "))
        self.acted_at.append(self.clock.now())
        assert command.startswith("safe ")

    def prepare(self) -> None:
        self.prepared.append(len(self.commands))
        self.clock.spend(self.prepare_s)


class Unhurried(VirtualClock):
    """Beside a real clock, which needs no help."""

    def spend(self, duration_s: float) -> None:
        """Nothing."""


LADDER = MissLadder(hold_periods=2, degrade_misses=3, degrade_window=6, recover_periods=3, fallback_periods=2)


def run(decide_s: list[float], ladder: MissLadder = LADDER) -> tuple[ScriptedTask, PeriodLog]:
    clock = VirtualClock(100.0)
    task = ScriptedTask(clock, decide_s)
    log = PeriodLog(1000)
    loop = ControlLoop(task, InlineLane(clock), TIMING, ladder, clock, log)
    loop.run()
    recording = load(loop.recording())
    assert replay(recording) == recording.data
    return task, log


def test_releases_are_absolute_so_lateness_does_not_accumulate() -> None:
    task, log = run([0.011] * 200)
    assert log.ticks == 200
    assert log.misses == 0
    assert [period.release_s for period in log.periods] == pytest.approx([100.0 + 0.05 * k for k in range(200)])
    assert log.lateness_ms().max == pytest.approx(0.0, abs=1e-6)
    assert task.elapsed == [0.0] + [0.05] * 199


def test_a_miss_holds_the_shifted_plan_then_brakes_and_recovers() -> None:
    task, log = run([0.01, 0.045, 0.045, 0.045, 0.045, 0.01], MissLadder(2, degrade_misses=64, degrade_window=64))
    assert task.commands == ["plan0", "shift1", "shift2", "brake", "brake", "plan5"]
    assert (log.misses, log.longest_run) == (4, 4)
    assert (log.clusters.runs, log.clusters.worst[10]) == ({4: 1}, 4)


def test_after_braking_for_long_the_fallback_takes_over() -> None:
    task, _ = run([0.01] + [0.049] * 7 + [0.01], MissLadder(2, 64, 64, 500, 2))
    assert task.commands[1:] == ["shift1", "shift2", "brake", "brake", "fallback", "fallback", "fallback", "plan8"]


def test_misses_make_the_work_smaller_and_clean_periods_larger_again() -> None:
    task, log = run([0.01] + [0.045] * 3 + [0.07] + [0.01] * 5)
    assert task.commands[1:] == ["shift1", "shift2", "brake", "plan4'", "plan5'", "plan6'", "plan7", "plan8", "plan9"]
    assert log.misses == 3


def test_a_decision_that_raises_is_a_miss_with_a_reason_at_once() -> None:
    task, log = run([0.01, -1.0, 0.01])
    assert task.commands == ["plan0", "shift1", "plan2"]
    assert list(log.errors) == ["ValueError: no"]
    assert task.acted_at[1] == pytest.approx(100.05)
    assert log.misses == 1


def test_a_release_whose_deadline_passed_by_is_missed_and_a_late_one_is_still_run() -> None:
    task, log = run([0.01, 0.120, 0.01, 0.01])
    assert task.commands == ["plan0", "shift2", "plan2", "plan3"], "one command for what was missed together"
    assert (log.ticks, log.misses) == (5, 2)
    assert [round(period.release_s, 3) for period in log.periods] == [100.0, 100.05, 100.15, 100.2]
    assert log.periods[2].lateness_s == pytest.approx(0.02)


@pytest.mark.parametrize(("stopped_s", "missed", "next_s"), [(0.085, 1, 100.1), (0.14, 2, 100.15), (7.2, 143, 107.2)])
def test_releases_that_pass_unseen_are_recorded_with_the_oldest_and_its_whole_wait(
    stopped_s: float, missed: int, next_s: float
) -> None:
    """A machine that stops the loop between two periods: its lateness must not hide behind the period before."""

    class Stopped(ScriptedTask):
        def prepare(self) -> None:
            super().prepare()
            self.prepare_s = 0.0

    clock, log = VirtualClock(100.0), PeriodLog(10)
    task = Stopped(clock, [0.01] * 3)
    task.prepare_s = stopped_s
    ControlLoop(task, InlineLane(clock), TIMING, LADDER, clock, log).run()
    unseen = log.periods[1]
    assert [each.release_s for each in log.periods] == pytest.approx([100.0, 100.05, next_s, next_s + 0.05])
    assert unseen.missed and log.misses == missed
    assert unseen.lateness_s == unseen.response_s == pytest.approx(stopped_s + 0.01 - 0.05)
    assert sum(task.elapsed) == pytest.approx(log.periods[-1].started_s - 100.0)


def test_a_process_that_was_stopped_for_long_goes_on_by_the_clock() -> None:
    """As after SIGSTOP and SIGCONT: every release that passed is a miss, and there is no burst of late periods."""
    task, log = run([0.01, 7.3, 0.01, 0.01])
    assert task.commands == ["plan0", "fallback", "plan2'", "plan3'"]
    assert log.ticks == 4 + 145 and log.misses == 146
    assert log.periods[2].release_s == pytest.approx(107.35)


@settings(deadline=None)
@given(st.lists(st.floats(0.0, 0.2), min_size=1, max_size=40))
def test_time_told_to_the_plant_equals_time_passed(decide_s: list[float]) -> None:
    task, log = run([*decide_s, 0.0])
    first, last = log.periods[0], log.periods[-1]
    assert sum(task.elapsed) == pytest.approx(last.started_s - first.started_s, abs=1e-6)
    assert log.ticks == pytest.approx((last.release_s - first.release_s) / 0.05 + 1, abs=1e-6)
    assert all(a < b for a, b in zip(task.acted_at, task.acted_at[1:], strict=False) if a != b)


def test_a_deadline_beyond_the_period_is_refused() -> None:
    with pytest.raises(ValueError, match="at most the period, 50 ms"):
        ControlTiming(rate_hz=20.0, deadline_ms=60.0)


def test_a_task_that_is_finished_is_not_begun() -> None:
    clock = VirtualClock()
    task = ScriptedTask(clock, [])
    loop = ControlLoop(task, InlineLane(clock), TIMING, LADDER, clock, PeriodLog(10))
    loop.run()
    assert (task.commands, loop.recording()) == ([], b"")


def test_a_listener_hears_of_every_period_and_of_the_next_release() -> None:
    clock, heard = VirtualClock(), []

    class Listener:
        def period_begins(self, now_s: float, next_release_s: float) -> None:
            heard.append(("begins", round(now_s, 6), round(next_release_s, 6)))

        def period_ended(self, now_s: float, next_release_s: float) -> None:
            heard.append(("ended", round(now_s, 6), round(next_release_s, 6)))

    task = ScriptedTask(clock, [0.01, 0.02])
    log, task.prepare_s = PeriodLog(10), 0.001
    ControlLoop(task, InlineLane(clock), TIMING, LADDER, clock, log, listener=Listener()).run()
    assert heard == [("begins", 0.0, 0.05), ("ended", 0.011, 0.05), ("begins", 0.05, 0.1), ("ended", 0.071, 0.1)]
    assert task.prepared == [1, 2]
    assert [period.response_s for period in log.periods] == pytest.approx([0.01, 0.02])


def test_nothing_is_prepared_while_a_late_decision_is_still_at_work() -> None:
    class Stuck(ScriptedTask):
        def decide(self, observation: int, level: int) -> str:
            self.deciding = True
            if observation == 2:
                assert self.let_go.wait(30.0)
            self.deciding = False
            return f"plan{observation}"

        def act(self, command: str) -> None:
            super().act(command)
            if self.commands[-1] == "brake":
                self.let_go.set()

        def prepare(self) -> None:
            assert not self.deciding or self.let_go.is_set()
            super().prepare()

    clock = MonotonicClock()
    task, lane = Stuck(Unhurried(), [0.0] * 40), ThreadLane("reflex", clock)
    task.let_go, task.deciding = threading.Event(), False
    ControlLoop(task, lane, ControlTiming(100.0, 10.0), LADDER, clock, PeriodLog(100)).run()
    lane.close()
    assert "brake" in task.commands
    assert task.commands.index("brake") + 1 < task.prepared[-1] and len(task.prepared) < len(task.commands)


def test_the_log_keeps_the_newest_in_memory_taken_once() -> None:
    clock = VirtualClock()
    log = PeriodLog(16)
    rows = log._rows
    ControlLoop(ScriptedTask(clock, [0.01] * 50), InlineLane(clock), TIMING, LADDER, clock, log).run()
    assert log.ticks == 50 and len(log.periods) == 16 and log._rows is rows
    assert [round(period.release_s, 2) for period in log.periods] == [round(0.05 * k, 2) for k in range(34, 50)]


def test_on_the_real_clock_the_record_replays_too_and_opens_in_perfetto() -> None:
    clock, log = MonotonicClock(), PeriodLog(100)
    task, lane = ScriptedTask(Unhurried(), [0.0] * 12), ThreadLane("reflex", clock)
    timing = ControlTiming(rate_hz=100.0, deadline_ms=10.0)
    loop = ControlLoop(task, lane, timing, LADDER, clock, log)
    loop.run()
    lane.close()
    recording = load(loop.recording())
    assert replay(recording) == recording.data
    assert len(log.periods) == len(task.commands) == 12 <= log.ticks
    events = json.loads(schedule_json(loop.recording()))["traceEvents"]
    assert {event["name"] for event in events} >= {"release", "decide"}
