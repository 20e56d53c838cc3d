"""Guessing ahead saves passes and never changes an answer, however good or bad the guesses are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from premotor_runtime.engine.answers.drafting import Drafter
from premotor_runtime.engine.answers.sampling import SamplingParams
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.complete import complete
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.grammars.matcher import GrammarCompiler
from premotor_runtime.engine.request import Request, RequestOutput
from premotor_runtime.models.tokenizer import Tokenizer

MakeEngine = Callable[..., Engine]
PLAN = r"""
start: " " step ("; " step){0,2} "\n"
step: "go " place | "pick up " thing | "wait " /[2-9]/ " seconds"
place: "kitchen" | "bedroom" | "bathroom"
thing: "red mug" | "red box" | "book"
"""
PROMPT = (257, 3, 1, 4, 1, 5, 9, 2, 6)


def _ask(name: str, prompt: tuple[int, ...] = PROMPT, **values: Any) -> Request:
    return Request(
        name, prompt, **({"max_tokens": 60, "grammar": PLAN, "full_logprobs": True, "draft_tokens": 4} | values)
    )


def _same(one: RequestOutput, other: RequestOutput) -> None:
    assert one.token_ids == other.token_ids
    assert (one.text, one.finish_reason, one.forced_tokens) == (other.text, other.finish_reason, other.forced_tokens)
    for first, second in zip(one.tokens, other.tokens, strict=True):
        assert first.logprob_allowed == pytest.approx(second.logprob_allowed, abs=1e-4)
        if first.logprob_full is not None and second.logprob_full is not None:
            assert first.logprob_full == pytest.approx(second.logprob_full, abs=1e-4)
        assert (first.logprob_full is None) <= (second.logprob_full is None)


@pytest.mark.parametrize("architecture", ["llama", "gemma3"])
def test_the_same_answers_from_fewer_passes(make_engine: MakeEngine, architecture: str) -> None:
    engine, passes = make_engine(architecture, 64), []
    for seed in range(6):
        prompt = (257, *(int(token) for token in np.random.default_rng(seed).integers(0, 256, 21)))
        plain = complete(make_engine(architecture, 64), _ask("a", prompt, draft_tokens=0), StepBudget())
        cold = complete(engine, _ask("a", prompt), StepBudget())
        warm = complete(engine, _ask("b", prompt), StepBudget())
        _same(cold, plain)
        _same(warm, plain)
        passes.append((plain.forward_passes, cold.forward_passes, warm.forward_passes))
    before, first, second = np.sum(passes, axis=0)
    assert second <= first <= before and second <= 0.75 * before
    assert engine.kv.pool.num_used == 0


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_guesses_leave_the_answer_as_it_is(make_engine: MakeEngine, data: st.DataObject) -> None:
    plain = complete(make_engine(num_blocks=64), _ask("a", draft_tokens=0), StepBudget())
    engine = make_engine(num_blocks=data.draw(st.integers(18, 40)))
    engine._decoder._drafter = _Oracle(data, plain.token_ids)  # type: ignore[assignment]
    engine.add(_ask("a", draft_tokens=8))
    budget = StepBudget(max_num_batched_tokens=data.draw(st.integers(1, 12)))
    output = None
    while engine.has_work:
        result = engine.step(budget)
        assert result.num_batched_tokens <= budget.max_num_batched_tokens
        output = next(iter(result.finished), output)
    assert output is not None and engine.kv.pool.num_used == 0
    _same(output, plain)


class _Oracle:
    """Guesses that are right for a while, then anything at all."""

    def __init__(self, data: st.DataObject, right: tuple[int, ...]) -> None:
        self._data, self._right = data, right

    def learn(self, tokens: Any, start: int) -> None:
        pass

    def propose(self, matcher: Any, tokens: list[int], prompt_length: int, limit: int) -> list[int]:
        said = len(tokens) - prompt_length
        right = self._right[said : said + self._data.draw(st.integers(0, limit))]
        return [*right, *self._data.draw(st.lists(st.integers(0, 255), max_size=3))][:limit]


def test_wrong_guesses_leave_nothing_in_the_prefix_cache(make_engine: MakeEngine) -> None:
    engine = make_engine(num_blocks=64)
    first = complete(engine, _ask("a"), StepBudget())
    again = (*PROMPT, *first.token_ids)
    warm = complete(engine, Request("b", again, 12), StepBudget())
    cold = complete(make_engine(num_blocks=64), Request("b", again, 12), StepBudget())
    assert warm.cached_tokens > len(PROMPT) and warm.token_ids == cold.token_ids


@pytest.mark.parametrize(
    "values",
    [
        {"sampling": SamplingParams(temperature=1.0)},
        {"sampling": SamplingParams(logprobs=2)},
        {"sampling": SamplingParams(presence_penalty=1.0)},
        {"grammar": None},
        {"jump_forward": False},
        {"draft_tokens": 0},
    ],
)
def test_only_a_greedy_choice_under_a_grammar_is_guessed(make_engine: MakeEngine, values: dict[str, Any]) -> None:
    engine = make_engine(num_blocks=64)
    for name in "ab":
        output = complete(engine, _ask(name, **values), StepBudget())
        skipped = output.forced_tokens if values.get("jump_forward", True) else 0
        assert output.forward_passes == output.output_tokens - skipped


def test_many_running_requests_are_not_guessed(make_engine: MakeEngine) -> None:
    engine = make_engine(num_blocks=128)
    complete(engine, _ask("first"), StepBudget())
    for number in range(3):
        engine.add(_ask(str(number), max_tokens=4))
    while engine.has_work:
        running = engine.num_requests_running + engine.num_requests_waiting
        result = engine.step(StepBudget())
        if running == 3 and not result.num_prefill_tokens:
            assert result.num_decode_tokens <= 3 * 4
            assert not any(sequence.draft for sequence in engine._residency.running)


def test_a_guess_is_what_the_prompt_names_or_an_earlier_answer_said(tokenizer: Tokenizer) -> None:
    matcher = GrammarCompiler(tokenizer, 264).matcher('start: ("red" | "blue" | "mug") ("!" | "?")')
    prompt = tokenizer.encode("the mug ")
    drafter = Drafter()
    assert drafter.propose(matcher, prompt, len(prompt), 4) == tokenizer.encode("mug")
    answer = tokenizer.encode("mug?")
    drafter.learn([*prompt, *answer], len(prompt))
    assert drafter.propose(matcher, prompt, len(prompt), 4) == answer
    assert drafter.propose(matcher, prompt, len(prompt), 1) == answer[:1]
    assert drafter.propose(matcher, prompt, len(prompt), 0) == []
    forced = GrammarCompiler(tokenizer, 264).matcher('start: "red" ("!" | "?")')
    assert Drafter().propose(forced, [1, 2], 2, 4) == tokenizer.encode("red")


def test_what_is_remembered_is_bounded() -> None:
    drafter = Drafter()
    for number in range(6000):
        drafter.learn([number, number + 1, number + 2], 2)
    assert len(drafter._followers) <= 8192
