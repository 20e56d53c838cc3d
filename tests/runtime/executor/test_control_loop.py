from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.executor.clock import VirtualClock
from premotor_runtime.executor.control_loop import ControlLoop, ControlTiming
from premotor_runtime.executor.lane import InlineLane
from premotor_runtime.executor.miss_policy import MissPolicy
from premotor_runtime.executor.period_log import PeriodLog


class ScriptedTask:
    """Decides in the given times; records what was commanded and when."""

    def __init__(self, clock: VirtualClock, decide_s: list[float]) -> None:
        self.clock = clock
        self.decide_s = decide_s
        self.sensed = 0
        self.commands: list[str] = []
        self.acted_at: list[float] = []
        self.elapsed: list[float] = []

    @property
    def finished(self) -> bool:
        return self.sensed >= len(self.decide_s)

    def sense(self, elapsed_s: float) -> int:
        self.elapsed.append(elapsed_s)
        self.sensed += 1
        return self.sensed - 1

    def decide(self, observation: int) -> str:
        self.clock.spend(self.decide_s[observation])
        return f"plan{observation}"

    def hold_shifted(self, observation: int, periods: int) -> str:
        return f"shift{periods}"

    def brake(self, observation: int) -> str:
        return "brake"

    def guard(self, observation: int, command: str) -> str:
        return f"safe {command}"

    def act(self, command: str) -> None:
        self.commands.append(command)
        self.acted_at.append(self.clock.now())


def run(decide_s: list[float], held: int = 2) -> tuple[ScriptedTask, PeriodLog]:
    clock = VirtualClock(100.0)
    task = ScriptedTask(clock, decide_s)
    log = PeriodLog()
    timing = ControlTiming(rate_hz=20.0, deadline_ms=40.0)
    ControlLoop(task, InlineLane(clock), timing, MissPolicy(max_held_periods=held), clock, log).run()
    return task, log


def test_releases_are_absolute_so_lateness_does_not_accumulate() -> None:
    _, log = run([0.011] * 200)
    assert log.ticks == 200
    assert log.misses == 0
    assert [period.release_s for period in log.periods] == pytest.approx([100.0 + 0.05 * k for k in range(200)])
    assert log.lateness_ms().max == pytest.approx(0.0, abs=1e-6)


def test_a_miss_holds_the_shifted_plan_then_brakes_and_recovers() -> None:
    task, log = run([0.01, 0.045, 0.045, 0.045, 0.045, 0.01])
    assert task.commands == ["safe plan0", "safe shift1", "safe shift2", "safe brake", "safe brake", "safe plan5"]
    assert (log.misses, log.longest_run) == (4, 4)


def test_every_command_passes_the_gate() -> None:
    task, _ = run([0.01, 0.06, 0.3, 0.01])
    assert all(command.startswith("safe ") for command in task.commands)


def test_a_release_that_passed_by_is_counted_as_missed_and_not_run_late() -> None:
    _, log = run([0.01, 0.120, 0.01])
    assert len(log.periods) == 3
    assert log.ticks == 5
    assert log.misses == 3
    assert list(log.periods)[2].release_s == pytest.approx(100.2)


@given(st.lists(st.floats(0.0, 0.2), min_size=1, max_size=40))
def test_time_told_to_the_plant_equals_time_passed(decide_s: list[float]) -> None:
    task, log = run(decide_s)
    first, last = log.periods[0], log.periods[-1]
    assert sum(task.elapsed) == pytest.approx(last.started_s - first.started_s)
    assert log.ticks == pytest.approx((last.release_s - first.release_s) / 0.05 + 1, abs=2 + max(decide_s) / 0.05)
    assert all(a < b for a, b in zip(task.acted_at, task.acted_at[1:], strict=False) if a != b)


def test_a_deadline_beyond_the_period_is_refused() -> None:
    with pytest.raises(ValueError, match="at most the period, 50 ms"):
        ControlTiming(rate_hz=20.0, deadline_ms=60.0)
