from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.scheduler.slack import FREE, Offer, engine_budget, step_ns

MS = 1_000_000


def offer(
    bounded: bool = True, shortest: int = 1, longest: int = 100 * MS, margin: int = 0, tolerance: int = 0
) -> Offer:
    return Offer(0, bounded, shortest, longest, margin, tolerance)


def test_a_step_gets_the_time_to_the_next_release_less_blocking_and_margin() -> None:
    assert step_ns(offer(), 10 * MS, 0, 30 * MS) == 20 * MS
    assert step_ns(offer(margin=MS), 10 * MS, 13 * MS, 30 * MS) == 16 * MS
    assert step_ns(offer(tolerance=5 * MS), 10 * MS, 0, 30 * MS) == 25 * MS
    assert step_ns(offer(longest=7 * MS), 10 * MS, 0, 30 * MS) == 7 * MS


def test_with_a_lane_of_its_own_it_runs_free() -> None:
    assert step_ns(offer(), 10 * MS, 0, None) == FREE
    assert step_ns(offer(bounded=False), 10 * MS, 0, 11 * MS) == FREE


def test_what_would_not_fit_is_not_begun() -> None:
    assert step_ns(offer(shortest=3 * MS), 28 * MS, 0, 30 * MS) is None
    assert step_ns(offer(shortest=3 * MS, tolerance=MS), 35 * MS, 0, 30 * MS) is None, "work is overdue already"
    assert step_ns(offer(shortest=3 * MS), 27 * MS, 0, 30 * MS) == 3 * MS


@given(st.integers(0, 50), st.integers(0, 60), st.integers(0, 60), st.integers(0, 9), st.integers(0, 9))
def test_a_step_in_its_budget_never_blocks_beyond_the_tolerance(
    now: int, free_at: int, release: int, margin: int, tolerance: int
) -> None:
    budget = step_ns(Offer(0, True, 1, 1000, margin, tolerance), now, free_at, release)
    if budget is not None:
        assert max(now, free_at) + budget + margin <= max(now, release) + tolerance


def test_the_engine_is_told_in_seconds_from_its_call() -> None:
    template = StepBudget(max_num_seqs=3)
    assert engine_budget(template, 20 * MS, elapsed_ns=5 * MS) == StepBudget(max_num_seqs=3, time_budget_s=0.015)
    assert engine_budget(template, FREE).time_budget_s is None
    assert engine_budget(template, MS, elapsed_ns=2 * MS).time_budget_s == 0.0
