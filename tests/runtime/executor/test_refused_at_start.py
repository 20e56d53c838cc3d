"""What cannot be run is refused before anything moves, with the reason and a remedy."""

from __future__ import annotations

import pytest

from premotor_foundation.errors import EXIT_REFUSED, EXIT_USAGE, ConfigError
from premotor_foundation.strict_yaml import parse
from premotor_runtime.app.settings import RuntimeSettings
from premotor_runtime.executor.clock import VirtualClock
from premotor_runtime.executor.control_loop import ControlLoop, ControlTiming
from premotor_runtime.executor.control_plan import control_task_set, level_of
from premotor_runtime.executor.lane import InlineLane
from premotor_runtime.executor.period_log import PeriodLog
from premotor_runtime.executor.rehearsal import rehearse
from premotor_runtime.scheduler.admission import admit_or_raise
from premotor_runtime.scheduler.errors import BadTask, DeadlineTooShort, NotSchedulable, ProfileMissing
from premotor_runtime.scheduler.miss_ladder import MissLadder

MS = 1_000_000
TIMING = ControlTiming(rate_hz=20.0, deadline_ms=40.0)


class Task:
    """Rehearses in the given times, by level."""

    finished = False

    def __init__(self, clock: VirtualClock, *milliseconds: float) -> None:
        self.clock, self.milliseconds = clock, milliseconds
        self.levels = len(milliseconds) - 1
        self.moved = 0

    def sense(self, elapsed_s: float) -> int:
        self.moved += 1
        return 0

    def decide(self, observation: int, level: int) -> int:
        return 0

    def rehearse(self, level: int) -> None:
        if self.milliseconds[level] < 0:
            raise OSError("no scan")
        self.clock.spend(self.milliseconds[level] / 1e3)

    def hold_shifted(self, observation: int, periods: int) -> int:
        return 0

    def brake(self, observation: int) -> int:
        return 0

    def fallback(self, observation: int) -> int:
        return 0

    def guard(self, observation: int, command: int) -> int:
        return command

    def act(self, command: int) -> None:
        self.moved += 1

    def prepare(self) -> None: ...


def loop(*milliseconds: float) -> ControlLoop[int, int]:
    clock = VirtualClock()
    task, lane = Task(clock, *milliseconds), InlineLane(clock)
    profile = rehearse(task, lane, rounds=3, spent_ns=clock.now_ns)
    return ControlLoop(task, lane, TIMING, MissLadder(), clock, PeriodLog(10), profile=profile)


def test_what_fits_is_admitted_with_a_margin_on_the_longest_rehearsal() -> None:
    clock = VirtualClock()
    task, lane = Task(clock, 10.0, 6.0), InlineLane(clock)
    assert rehearse(task, lane, rounds=3, spent_ns=clock.now_ns) == (12 * MS, 7_200_000)
    assert task.moved == 0
    loop(24.9, 10.0)


def test_a_deadline_shorter_than_the_work_is_refused_with_the_remedy() -> None:
    with pytest.raises(DeadlineTooShort, match=r"deadline of control leaves 30 ms, its work takes 33\.6 ms") as refused:
        loop(28.0, 10.0)
    assert "it would fit with a smaller model (version 1) for control" in str(refused.value)
    assert refused.value.exit_code == EXIT_REFUSED
    with pytest.raises(NotSchedulable, match="nothing on the ladder helps: ask for less"):
        loop(28.0, 27.0)


def test_what_cannot_be_measured_is_not_guessed() -> None:
    with pytest.raises(ProfileMissing, match=r"could not be measured at level 1: OSError: no scan"):
        loop(5.0, -1.0)
    with pytest.raises(BadTask, match="the profile has 1 levels, the control task 3") as refused:
        control_task_set(TIMING, 2, [MS])
    assert refused.value.exit_code == EXIT_USAGE


def test_without_a_profile_all_the_time_is_set_aside() -> None:
    plan = admit_or_raise(control_task_set(TIMING, 2))
    assert plan.tasks[0].stages[0].cost_ns == 30 * MS
    assert len(plan.versions[0]) == 3
    assert [level_of(version.task, 2) for version in plan.versions[0]] == [0, 1, 2]


def test_a_level_that_measured_more_than_the_one_before_counts_as_that() -> None:
    plan = admit_or_raise(control_task_set(TIMING, 2, [5 * MS, 6 * MS, 2 * MS]))
    assert [version.stages[0].cost_ns for version in plan.versions[0]] == [5 * MS, 5 * MS, 2 * MS]


def test_settings_that_mean_nothing_are_refused_with_file_line_and_nearest_key() -> None:
    good = "robot: disc\nmiss_policy: {hold_periods: 2}\ncontrol: {rate_hz: 50.0, deadline_ms: 20.0}\n"
    assert parse(good, RuntimeSettings).miss_policy == MissLadder(hold_periods=2)
    for old, new, words in (
        ("hold_periods", "max_held_periods", "hold_periods"),
        ("hold_periods: 2", "hold_periods: -1", "hold_periods"),
        ("hold_periods: 2", "degrade_misses: 9, degrade_window: 3", "degrade_window"),
        ("deadline_ms: 20.0", "deadline_ms: 21.0", "at most the period"),
        ("deadline_ms: 20.0", "sense_share: 1.0", "sense_share"),
    ):
        with pytest.raises(ConfigError, match=words):
            parse(good.replace(old, new), RuntimeSettings)
