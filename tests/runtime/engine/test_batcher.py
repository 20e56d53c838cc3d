"""The plan of a step keeps its budgets, never starves a running answer, and moves on wherever there is time."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.engine.batcher import StepBudget, plan_step
from premotor_runtime.engine.cost.step_load import AttentionShape, StepLoad

SHAPE = AttentionShape(1.0, 1)


@dataclass(frozen=True)
class Item:
    key: str
    pending: int
    decoding: bool = False
    priority: int = 0
    computed: int = 0
    masked: bool = False


REQUESTS = st.lists(
    st.tuples(st.integers(0, 40), st.booleans(), st.integers(0, 2), st.integers(0, 900), st.booleans()), max_size=8
).map(lambda items: [Item(str(n), *item) for n, item in enumerate(items)])


def _cost(load: StepLoad) -> float:
    return sum(load) + 0.001 * load.attended_wide


@given(REQUESTS, st.integers(1, 64), st.integers(1, 6))
def test_the_budget_is_kept_and_used(requests: list[Item], tokens: int, seqs: int) -> None:
    plan = plan_step(requests, StepBudget(tokens, seqs), SHAPE)
    assert sum(share for _, share in plan.shares) <= tokens and len(plan.shares) <= seqs
    assert all(1 <= share <= item.pending for item, share in plan.shares)
    if any(item.pending for item in requests):
        assert plan.shares
    if len(plan.shares) < min(seqs, sum(item.pending > 0 for item in requests)):
        assert sum(share for _, share in plan.shares) == tokens
    assert not plan.deferred


@given(REQUESTS, st.integers(1, 64))
def test_nobody_gets_anything_while_someone_more_urgent_waits(requests: list[Item], tokens: int) -> None:
    shares = {item.key: share for item, share in plan_step(requests, StepBudget(tokens, 8), SHAPE).shares}
    for late in [item for item in requests if item.key in shares]:
        for item in requests:
            if (item.priority, not item.decoding) < (late.priority, not late.decoding):
                assert shares.get(item.key, 0) == item.pending


@given(REQUESTS, st.integers(1, 64), st.floats(0, 60))
def test_a_time_limit_is_kept_and_used_and_who_has_no_time_is_named(
    requests: list[Item], tokens: int, limit: float
) -> None:
    budget = StepBudget(tokens, 8)
    plan = plan_step(requests, budget, SHAPE, lambda load: _cost(load) <= limit)
    free = plan_step(requests, budget, SHAPE)
    assert not plan.shares or _cost(plan.load) <= limit
    named = [*(item.key for item, _ in plan.shares), *(item.key for item in plan.deferred)]
    assert sorted(named) == sorted(item.key for item, _ in free.shares)
    for item in plan.deferred:
        assert _cost(plan.load.plus(item, 1, SHAPE)) > limit
    for item, share in plan.shares:
        wished = {each.key: count for each, count in free.shares}[item.key]
        assert share <= wished
        if share + 1 < wished and item is plan.shares[-1][0] and not plan.deferred:
            others = [pair for pair in plan.shares if pair[0] is not item]
            assert _cost(plan_load(others).plus(item, share + 1, SHAPE)) > limit


def plan_load(shares: list[tuple[Item, int]]) -> StepLoad:
    return StepLoad(*[0.0] * 7).plus_all(shares, SHAPE)


def test_decode_goes_first_and_the_prompt_is_cut() -> None:
    long, answer, later = Item("long", 1000), Item("answer", 1, decoding=True), Item("later", 50)
    assert plan_step([long, answer, later], StepBudget(64, 8), SHAPE).shares == [(answer, 1), (long, 63)]


def test_an_urgent_prompt_goes_before_a_running_answer() -> None:
    answer, urgent = Item("answer", 1, decoding=True), Item("urgent", 100, priority=-1)
    assert plan_step([answer, urgent], StepBudget(64, 8), SHAPE).shares == [(urgent, 64)]


def test_windows_shorten_what_is_attended() -> None:
    item = Item("a", 10, computed=100)
    assert StepLoad(*[0.0] * 7).plus(item, 1, SHAPE).attended_single == 101
    assert StepLoad(*[0.0] * 7).plus(item, 1, AttentionShape(0.5, 21)).attended_single == 61
    assert StepLoad(*[0.0] * 7).plus(item, 10, SHAPE).attended_wide == 10 * 105.5


@pytest.mark.parametrize("numbers", [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_an_empty_budget_is_refused(numbers: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="room"):
        StepBudget(*numbers)


def test_a_time_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not a number"):
        StepBudget(time_budget_s=float("nan"))
