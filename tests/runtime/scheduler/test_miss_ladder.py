from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.scheduler.clustering import WINDOWS, MissCounter
from premotor_runtime.scheduler.miss_ladder import MissLadder, MissState

LADDER = MissLadder(hold_periods=2, degrade_misses=2, degrade_window=5, recover_periods=4, fallback_periods=3)


def run(missed: str, deepest: int = 2) -> tuple[list[str], list[int]]:
    """`x` a miss, `.` a period in time; the actions and levels after each."""
    state, actions, levels = MissState(), [], []
    for each in missed:
        state = LADDER.after(state, each == "x", deepest)
        actions.append(LADDER.action(state))
        levels.append(state.level)
    return actions, levels


def test_hold_then_brake_then_fallback() -> None:
    actions, _ = run(".xxxxxxx.")
    assert actions == ["use", "hold_shifted", "hold_shifted", "brake", "brake", "brake", "fallback", "fallback", "use"]


def test_two_misses_in_five_make_the_work_smaller_and_clean_periods_larger_again() -> None:
    _, levels = run("x...x........")
    assert levels == [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    assert run("x....x...")[1] == [0] * 9, "too far apart"
    assert run("xxxxxx", deepest=2)[1] == [0, 1, 1, 2, 2, 2]
    assert run("xxxx", deepest=0)[1] == [0] * 4


def test_a_window_smaller_than_its_misses_is_refused() -> None:
    with pytest.raises(ValueError, match="degrade_window"):
        MissLadder(degrade_misses=5, degrade_window=4)


@given(st.lists(st.booleans(), max_size=120), st.integers(1, 4), st.integers(0, 3))
def test_clusters_are_those_of_the_whole_history(missed: list[bool], m: int, more: int) -> None:
    k = m + more
    counter = MissCounter(m, k)
    for each in missed:
        counter.add(each)
    found = counter.counts()
    text = "".join("x" if each else "." for each in missed)
    runs = [len(run) for run in text.split(".") if run]
    assert (found.periods, found.misses, found.longest_run) == (len(missed), sum(missed), max(runs, default=0))
    assert found.runs == {length: runs.count(length) for length in runs}
    for size in WINDOWS:
        windows = [sum(missed[max(0, end - size) : end]) for end in range(1, len(missed) + 1)]
        assert found.worst[size] == max(windows, default=0)
    broken = sum(sum(missed[max(0, end - k) : end]) > k - m for end in range(1, len(missed) + 1))
    assert found.broken_windows == (broken if k > 1 else 0)


def test_many_misses_at_once_count_like_one_after_the_other() -> None:
    one, many = MissCounter(1, 2), MissCounter(1, 2)
    many.add_run(2000)
    for _ in range(2000):
        one.add(True)
    assert one.counts() == many.counts()
    assert many.counts().longest_run == 2000
