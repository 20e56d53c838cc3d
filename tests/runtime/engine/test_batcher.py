"""The plan of a step keeps its budget, never starves a running answer, and always moves on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.engine.batcher import Pending, StepBudget, plan_step

REQUESTS = st.lists(st.tuples(st.integers(0, 40), st.booleans()), max_size=8).map(
    lambda items: [Pending(str(number), tokens, decoding) for number, (tokens, decoding) in enumerate(items)]
)


@given(REQUESTS, st.integers(1, 64), st.integers(1, 6))
def test_the_budget_is_kept_and_used(requests: list[Pending], tokens: int, seqs: int) -> None:
    plan = plan_step(requests, StepBudget(tokens, seqs))
    pending = {request.request_id: request.tokens for request in requests}
    assert sum(plan.values()) <= tokens and len(plan) <= seqs
    assert all(1 <= share <= pending[name] for name, share in plan.items())
    if sum(pending.values()):
        assert plan
    if len(plan) < min(seqs, sum(count > 0 for count in pending.values())):
        assert sum(plan.values()) == tokens


@given(REQUESTS, st.integers(1, 64))
def test_a_prompt_gets_nothing_while_a_running_answer_waits(requests: list[Pending], tokens: int) -> None:
    plan = plan_step(requests, StepBudget(tokens, 8))
    if any(not request.decoding and request.request_id in plan for request in requests):
        assert all(plan.get(r.request_id, 0) == r.tokens for r in requests if r.decoding)


def test_decode_goes_first_and_the_prompt_is_cut() -> None:
    requests = [Pending("long", 1000, False), Pending("answer", 1, True), Pending("later", 50, False)]
    assert plan_step(requests, StepBudget(64, 8)) == {"answer": 1, "long": 63}


@pytest.mark.parametrize("numbers", [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_an_empty_budget_is_refused(numbers: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="room"):
        StepBudget(*numbers)
