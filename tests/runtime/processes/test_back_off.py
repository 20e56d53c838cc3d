from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.processes.back_off import BackOff, RestartPolicy

POLICIES = st.builds(
    RestartPolicy,
    base_delay_s=st.floats(0.01, 2.0),
    longest_delay_s=st.floats(2.0, 60.0),
    most_restarts=st.integers(0, 8),
    window_s=st.floats(1.0, 500.0),
)
LIVES = st.lists(st.floats(0.0, 100.0), min_size=1, max_size=40)


def run(policy: RestartPolicy, lives: list[float]) -> tuple[list[float], list[float], list[bool]]:
    """Instants of failures and restarts, and availability, of a process that lives so long after each restart."""
    back_off, now = BackOff(policy), 0.0
    failures, restarts, available = [], [], []
    for life in lives:
        now += life
        answer = back_off.failed(now)
        failures.append(now)
        available.append(answer.available)
        if answer.at_s is None:
            break
        restarts.append(answer.at_s)
        now = answer.at_s
    return failures, restarts, available


@given(POLICIES, LIVES)
def test_no_window_holds_more_restarts_than_allowed_and_none_comes_before_its_failure(
    policy: RestartPolicy, lives: list[float]
) -> None:
    failures, restarts, _ = run(policy, lives)
    assert all(restart >= failure for failure, restart in zip(failures, restarts, strict=False))
    for first in restarts:
        inside = [restart for restart in restarts if first <= restart < first + policy.window_s - 1e-6]
        assert len(inside) <= policy.most_restarts


@given(POLICIES, LIVES)
def test_while_available_delays_are_bounded_and_the_first_is_none(policy: RestartPolicy, lives: list[float]) -> None:
    failures, restarts, available = run(policy, lives)
    for failure, restart, there in zip(failures, restarts, available, strict=False):
        if there:
            assert restart - failure <= policy.longest_delay_s + 1e-6
    if policy.most_restarts:
        assert restarts[0] == failures[0]
        assert available[0]


def test_a_process_that_dies_at_once_is_started_at_doubling_distances_then_given_up_for_the_window() -> None:
    policy = RestartPolicy(base_delay_s=0.5, longest_delay_s=3.0, most_restarts=5, window_s=300.0)
    failures, restarts, available = run(policy, [0.0] * 6)
    assert [restart - failure for failure, restart in zip(failures, restarts, strict=True)][:5] == [0, 0.5, 1, 2, 3]
    assert available == [True] * 5 + [False]
    assert restarts[5] == restarts[0] + 300.0


def test_a_window_without_failures_forgets_them() -> None:
    _, restarts, available = run(RestartPolicy(window_s=10.0), [1.0, 1.0, 1.0, 11.0])
    assert restarts[-1] == restarts[-2] + 11.0
    assert all(available)


def test_no_restarts_allowed_is_never_again() -> None:
    assert BackOff(RestartPolicy(most_restarts=0)).failed(1.0) == (None, False)


def test_a_clock_that_goes_back_stands_still() -> None:
    back_off = BackOff(RestartPolicy())
    assert back_off.failed(100.0).at_s == 100.0
    assert back_off.failed(3.0).at_s == 100.5


def test_a_longest_delay_below_the_first_is_refused() -> None:
    with pytest.raises(ValueError, match="at least `base_delay_s`, 2"):
        RestartPolicy(base_delay_s=2.0, longest_delay_s=1.0)
