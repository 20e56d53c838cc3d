"""Who goes first, who must leave, and that nobody loses a place or an answer by it."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.complete import complete
from premotor_runtime.engine.errors import DeadlineError, RequestError
from premotor_runtime.engine.request import Request

LONG = tuple(range(40))


def _order(engine: Any, budget: StepBudget) -> list[str]:
    done: list[str] = []
    for _ in range(2000):
        if not engine.has_work:
            return done
        done += [output.request_id for output in engine.step(budget).finished]
    raise AssertionError("the engine does not come to an end")


def test_priority_then_deadline_then_arrival(make_memory_engine: Any) -> None:
    engine, _ = make_memory_engine(64)
    for name, priority, deadline in [
        ("late", 0, None),
        ("later", 0, None),
        ("due", 0, 9.0),
        ("sooner", 0, 3.0),
        ("idle", 5, 1.0),
        ("urgent", -1, None),
    ]:
        engine.add(Request(name, (1, 2, 3), 3, priority=priority, deadline=deadline))
    assert _order(engine, StepBudget(max_num_seqs=1)) == ["urgent", "sooner", "due", "late", "later", "idle"]


def test_an_urgent_request_does_not_wait_for_a_long_prompt_and_costs_nobody_memory(make_memory_engine: Any) -> None:
    engine, runner = make_memory_engine(64)
    engine.add(Request("long", LONG, 4))
    engine.step(StepBudget(8, 1))
    engine.add(Request("urgent", (7, 8), 2, priority=-1))
    results = [engine.step(StepBudget(8, 1)) for _ in range(2)]
    assert [output.request_id for result in results for output in result.finished] == ["urgent"]
    assert not any(result.preempted for result in results)
    prefilled = [chunk.start for batch in runner.batches for chunk in batch if len(chunk.tokens) > 2]
    assert _order(engine, StepBudget(8, 1)) == ["long"]
    assert prefilled == [0]


def test_an_urgent_request_takes_memory_and_the_victim_keeps_its_place_and_prefix(make_memory_engine: Any) -> None:
    alone, _ = make_memory_engine(64)
    expected = complete(alone, Request("victim", LONG[:20], 12), StepBudget()).token_ids
    engine, _ = make_memory_engine(12)
    engine.add(Request("victim", LONG[:20], 12))
    engine.add(Request("later", LONG[20:38], 2))
    engine.step(StepBudget(max_num_seqs=1))
    engine.add(Request("urgent", LONG[8:36], 4, priority=-1))
    result = engine.step(StepBudget(max_num_seqs=1))
    assert result.preempted == ("victim",)
    assert [sequence.key for sequence in engine._residency.waiting] == ["victim", "later"]
    outputs = {}
    while engine.has_work:
        outputs |= {output.request_id: output for output in engine.step(StepBudget(max_num_seqs=1)).finished}
    assert list(outputs) == ["urgent", "victim", "later"]
    victim = outputs["victim"]
    assert (victim.token_ids, victim.preemptions) == (expected, 1)
    assert victim.forward_passes <= 12 + 1
    assert engine.metrics.num_preemptions == 1


def test_equals_do_not_displace_each_other(make_memory_engine: Any) -> None:
    engine, _ = make_memory_engine(12)
    engine.add(Request("first", LONG[:20], 12))
    engine.step(StepBudget())
    engine.add(Request("second", LONG[8:36], 4, deadline=0.0))
    result = engine.step(StepBudget())
    assert (result.preempted, engine.num_requests_waiting) == ((), 1)
    assert _order(engine, StepBudget()) == ["first", "second"]


def test_a_crowd_is_not_thrashed(make_memory_engine: Any) -> None:
    engine, _ = make_memory_engine(16)
    for number in range(8):
        engine.add(Request(str(number), LONG[number : number + 9], 24))
    outputs = []
    while engine.has_work:
        outputs += engine.step(StepBudget()).finished
    assert len(outputs) == 8
    assert sum(output.preemptions for output in outputs) <= 16
    assert sum(output.forward_passes for output in outputs) <= 8 * 24 + 2 * 16


def test_equal_prompts_that_arrive_together_are_computed_once(make_memory_engine: Any) -> None:
    engine, runner = make_memory_engine(64)
    for number in range(4):
        engine.add(Request(str(number), LONG, 2))
    outputs = []
    while engine.has_work:
        outputs += engine.step(StepBudget(16, 8)).finished
    assert [output.cached_tokens for output in outputs] == [0, 32, 36, 36]
    assert len({output.token_ids for output in outputs}) == 1
    assert sum(len(chunk.tokens) for batch in runner.batches for chunk in batch) == 40 + 8 + 4 + 4 + 4
    assert engine.metrics.prefix_cache_hits == 104 and engine.metrics.prefix_cache_queries == 160


@pytest.mark.parametrize("field", [{"salt": "tenant"}, {"adapter": "one"}])
def test_tenants_and_adapters_share_nothing(make_memory_engine: Any, field: dict[str, Any]) -> None:
    engine, _ = make_memory_engine(64)
    plain = Request("a", LONG, 2)
    complete(engine, plain, StepBudget())
    other = complete(engine, dataclasses.replace(plain, request_id="b", **field), StepBudget())
    again = complete(engine, dataclasses.replace(plain, request_id="c", **field), StepBudget())
    assert (other.cached_tokens, again.cached_tokens) == (0, 36)


def test_what_can_never_fit_is_refused_with_the_numbers(make_memory_engine: Any) -> None:
    engine, _ = make_memory_engine(4)
    with pytest.raises(RequestError, match=r"10 tokens and 7 more.*at most 16 fit \(the memory of 4 blocks of 4\)"):
        engine.add(Request("a", LONG[:10], 7))
    large, _ = make_memory_engine(2000)
    with pytest.raises(RequestError, match=r"at most 4096 fit \(the model's context\); shorten the text"):
        large.add(Request("a", LONG[:10], 4090))
    with pytest.raises(RequestError, match="in use"):
        large.add(Request("a", LONG[:10], 4))
        large.add(Request("a", LONG[:10], 4))
    with pytest.raises(RequestError, match=r"\[0, 264\); given 300"):
        large.add(Request("b", (300,), 4))
    with pytest.raises(RequestError, match="no adapter `three` was loaded; loaded: one, two"):
        large.add(Request("b", (3,), 4, adapter="three"))
    assert complete(engine, Request("b", LONG[:10], 6), StepBudget()).output_tokens == 6


def test_a_request_that_would_be_late_is_refused_only_where_asked_for(make_memory_engine: Any) -> None:
    for refuse in (False, True):
        engine, runner = make_memory_engine(64, refuse_late=refuse)
        runner.seconds = lambda batch: 0.010
        engine.add(Request("untrained", (1, 2), 40, deadline=0.001))
        _order(engine, StepBudget())
        now = engine._clock()
        engine.add(Request("possible", (1, 2), 10, deadline=now + 0.2))
        late = Request("late", (3, 4), 30, deadline=now + 0.2)
        if not refuse:
            engine.add(late)
            continue
        with pytest.raises(DeadlineError, match=r"to take 0\.3.* s and its deadline allows 0\.200 s") as caught:
            engine.add(late)
        assert caught.value.predicted_s == pytest.approx(0.31, rel=0.15)
        assert caught.value.allowed_s == pytest.approx(0.2) and caught.value.exit_code == 3
        assert _order(engine, StepBudget()) == ["possible"]


def test_cancelling_works_at_any_moment(make_memory_engine: Any) -> None:
    for steps in range(6):
        engine, _ = make_memory_engine(64)
        engine.add(Request("a", LONG, 3, n=2, full_logprobs=True))
        for _ in range(steps):
            engine.step(StepBudget(20, 8, 60))
        assert engine.cancel("a")
        assert not engine.cancel("a")
        outputs = engine.step(StepBudget()).finished
        assert [(output.finish_reason, output.sample) for output in outputs] == [("cancelled", 0), ("cancelled", 1)]
        assert not engine.has_work and engine.kv.pool.num_used == 0
