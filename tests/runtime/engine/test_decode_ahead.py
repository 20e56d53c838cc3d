"""Several tokens a step: the same answers, never more than the budget, the memory or the clock allow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from premotor_runtime.engine.answers.sampling import SamplingParams
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request, RequestOutput

Make = Callable[..., Any]
REQUESTS = [Request(str(n), tuple(range(n, n + 5 + n)), 3 + 4 * n, ignore_eos=n % 2 == 0) for n in range(4)]


def _answers(engine: Engine, requests: list[Request], budget: StepBudget) -> tuple[dict[str, RequestOutput], int]:
    for request in requests:
        engine.add(request)
    done: dict[str, RequestOutput] = {}
    steps = 0
    while engine.has_work:
        done |= {output.request_id: output for output in engine.step(budget).finished}
        steps += 1
        assert steps < 500
    return done, steps


@pytest.mark.parametrize("several", [2, 5, 64])
@pytest.mark.parametrize("blocks", [12, 64])
def test_the_same_answers_in_fewer_steps(make_memory_engine: Make, several: int, blocks: int) -> None:
    one, steps_one = _answers(make_memory_engine(blocks)[0], REQUESTS, StepBudget())
    more, steps_more = _answers(make_memory_engine(blocks)[0], REQUESTS, StepBudget(num_scheduler_steps=several))
    assert {key: output.token_ids for key, output in more.items()} == {k: o.token_ids for k, o in one.items()}
    assert [o.finish_reason for _, o in sorted(more.items())] == [o.finish_reason for _, o in sorted(one.items())]
    assert steps_more < steps_one


def test_streamed_text_and_stop_strings(make_memory_engine: Make) -> None:
    engine, _ = make_memory_engine(64)
    whole = _answers(engine, [Request("a", (1, 2, 3), 30, ignore_eos=True)], StepBudget())[0]["a"]
    middle = whole.text[len(whole.text) // 2 :][:2]
    request = Request("b", (1, 2, 3), 30, stop=(middle,), stream=True, ignore_eos=True)
    engine.add(request)
    shown = ""
    while engine.has_work:
        result = engine.step(StepBudget(num_scheduler_steps=7))
        shown += result.text.get("b", "")
        for output in result.finished:
            assert output.finish_reason == "stop" and output.text == whole.text[: whole.text.index(middle)] == shown


@pytest.mark.parametrize(
    "looked_at",
    [
        {"sampling": SamplingParams(1.0, seed=3)},
        {"grammar": 'start: ("red " | "mug ")+ "x"'},
        {"full_logprobs": True},
        {"sampling": SamplingParams(0.0, logprobs=2)},
    ],
)
def test_one_token_a_step_where_each_is_looked_at(make_memory_engine: Make, looked_at: dict[str, Any]) -> None:
    engine, _ = make_memory_engine(64)
    engine.add(Request("a", (1, 2, 3), 12, **looked_at))
    for _ in range(4):
        assert engine.step(StepBudget(num_scheduler_steps=8)).num_decode_tokens <= 8
    other, _ = make_memory_engine(64)
    other.add(Request("a", (1, 2, 3), 12, **looked_at))
    engine, _ = make_memory_engine(64)
    engine.add(Request("a", (1, 2, 3), 12, **looked_at))
    while other.has_work or engine.has_work:
        assert other.step(StepBudget()).emitted == engine.step(StepBudget(num_scheduler_steps=8)).emitted


def test_the_token_budget_holds(make_memory_engine: Make) -> None:
    engine, _ = make_memory_engine(64)
    for request in REQUESTS:
        engine.add(request)
    while engine.has_work:
        assert engine.step(StepBudget(10, num_scheduler_steps=8)).num_batched_tokens <= 10


def test_the_time_budget_holds(make_memory_engine: Make) -> None:
    engine, runner = make_memory_engine(256)
    runner.seconds = lambda batch: 0.001 * sum(len(chunk.tokens) for chunk in batch)
    engine.calibrate(StepBudget(), 5.0)
    engine.add(Request("a", (1, 2, 3), 200, ignore_eos=True))
    decoded = []
    while engine.has_work:
        result = engine.step(StepBudget(time_budget_s=0.0095, num_scheduler_steps=64))
        assert result.duration_s <= 0.0095
        decoded.append(result.num_decode_tokens)
    assert max(decoded) > 1
