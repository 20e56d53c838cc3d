from __future__ import annotations

from premotor_runtime.processes.absence import Absence
from premotor_runtime.processes.heartbeats import Beat, Phase
from premotor_runtime.processes.watch import Fault, Sighting, Watch, WatchLimits

LIMITS = WatchLimits(silence_s=2.0, start_s=30.0, memory_bytes=1000)
PID = 7


def seen(counter: int, phase: Phase = Phase.SERVING, pid: int = PID, memory: int = 10, alive: bool = True) -> Sighting:
    return Sighting(PID, alive, Beat(counter, 0, pid, phase), memory, 400)


def look(watch: Watch, sighting: Sighting, start: float, looks: int, step: float = 0.5) -> list[Fault | None]:
    return [watch.judge(sighting, start + number * step) for number in range(looks)]


def test_one_that_beats_is_well_and_one_that_falls_silent_is_not() -> None:
    watch = Watch(LIMITS, 0.0)
    for number in range(1, 20):
        assert watch.judge(seen(number), number * 0.9) is None
    assert watch.served_s == 0.9
    assert look(watch, seen(19), 19 * 0.9, 6) == [None] * 5 + ["silent"]


def test_loading_may_take_longer_than_silence() -> None:
    watch = Watch(LIMITS, 0.0)
    assert look(watch, seen(1, Phase.STARTING), 0.5, 61) == [None] * 60 + ["slow to start"]


def test_a_beat_that_a_predecessor_left_is_no_sign_of_life() -> None:
    watch = Watch(LIMITS, 0.0)
    assert look(watch, seen(500, pid=6), 0.5, 61) == [None] * 60 + ["slow to start"]
    assert watch.served_s is None


def test_death_and_memory_are_seen_at_once() -> None:
    assert Watch(LIMITS, 0.0).judge(seen(1, alive=False), 0.1) == "ended"
    assert Watch(LIMITS, 0.0).judge(seen(1, memory=1001), 0.1) == "too much memory"


def test_growth_counts_from_what_it_has_when_it_begins_to_serve() -> None:
    watch = Watch(WatchLimits(growth_bytes=50, memory_bytes=1000), 0.0)
    assert watch.judge(seen(1, Phase.STARTING, memory=900), 0.1) is None
    assert watch.judge(seen(2, memory=100), 0.2) is None
    assert watch.judge(seen(3, memory=150), 0.3) is None
    assert watch.judge(seen(4, memory=151), 0.4) == "too much memory"


def test_growth_allows_no_more_than_the_most_at_any_time() -> None:
    watch = Watch(WatchLimits(growth_bytes=500, memory_bytes=1000), 0.0)
    assert watch.judge(seen(1, memory=800), 0.1) is None
    assert watch.judge(seen(2, memory=1001), 0.2) == "too much memory"


def test_without_a_limit_half_of_what_was_available_when_it_began_to_serve_may_be_added() -> None:
    watch = Watch(WatchLimits(), 0.0)
    assert watch.judge(seen(1, Phase.STARTING, memory=5000), 0.1) is None
    assert watch.judge(seen(2, memory=100), 0.2) is None
    assert watch.judge(seen(3, memory=300), 0.3) is None
    assert watch.judge(seen(4, memory=301), 0.4) == "too much memory"


def test_a_clock_that_goes_back_makes_nobody_silent_or_immortal() -> None:
    watch = Watch(LIMITS, 1000.0)
    assert watch.judge(seen(1), 1000.5) is None
    assert look(watch, seen(1), 5.0, 6) == [None] * 5 + ["silent"]


def test_a_watcher_that_was_stopped_itself_blames_nobody_for_the_gap() -> None:
    watch = Watch(LIMITS, 0.0)
    assert watch.judge(seen(1), 0.5) is None
    assert watch.judge(seen(1), 500.0) is None
    assert watch.judge(seen(1), 500.9) is None
    assert watch.judge(seen(1), 501.1) == "silent"


def test_absence_counts_from_the_last_serving_beat_of_anyone() -> None:
    absence = Absence(2.0)
    assert not absence.lasts_too_long(Beat(0, 0, 0, Phase.STARTING), 100.0)
    first = Beat(1, 0, 7, Phase.SERVING)
    assert [absence.lasts_too_long(first, 101.0 + number * 0.5) for number in range(6)] == [False] * 5 + [True]
    assert absence.lasts_too_long(Beat(1, 0, 8, Phase.STARTING), 103.6)
    second = Beat(2, 0, 8, Phase.SERVING)
    assert not absence.lasts_too_long(second, 103.7)
    assert [absence.lasts_too_long(second, 1.0 + number * 0.5) for number in range(6)] == [False] * 5 + [True]
    third = Beat(3, 0, 8, Phase.SERVING)
    assert not absence.lasts_too_long(third, 10.0)
    assert not absence.lasts_too_long(third, 900.0)
