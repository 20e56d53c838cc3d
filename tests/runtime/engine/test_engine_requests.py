"""A request's life: what is counted, how it ends, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from premotor_runtime.engine.answers.sampling import SamplingParams
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.complete import complete
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.errors import GrammarError, RequestError
from premotor_runtime.engine.request import Request, RequestState, transition
from premotor_runtime.models.tokenizer import Tokenizer

MakeEngine = Callable[..., Engine]
GRAMMAR = r"""
start: " pick " COLOUR " mug\n"
COLOUR: "red" | "blue" | "dark red"
"""
SENTENCES = {" pick red mug\n", " pick blue mug\n", " pick dark red mug\n"}
PROMPT = (257, 3, 1, 4, 1, 5, 9, 2, 6)


def test_an_output_has_its_length_and_counts(make_engine: MakeEngine, clock: Any) -> None:
    engine = make_engine()
    engine.add(Request("a", PROMPT, 5))
    clock.now = 2.0
    first = engine.step(StepBudget(max_num_batched_tokens=6))
    assert (first.num_prefill_tokens, first.num_decode_tokens, first.emitted) == (6, 0, {})
    clock.now = 3.0
    second = engine.step(StepBudget())
    assert (second.num_prefill_tokens, len(second.emitted["a"])) == (3, 1)
    clock.now = 4.0
    results = [engine.step(StepBudget()) for _ in range(4)]
    assert [result.num_decode_tokens for result in results] == [1, 1, 1, 1]
    (output,) = results[-1].finished
    assert (output.finish_reason, output.output_tokens, output.forced_tokens) == ("length", 5, 0)
    assert (output.prompt_tokens, output.cached_tokens, output.forward_passes) == (9, 0, 6)
    assert (output.ttft_s, output.decode_s) == (3.0, 1.0)
    assert not engine.has_work and engine.kv.pool.num_used == 0


@pytest.mark.parametrize("seed", range(6))
def test_grammar_output_always_matches_and_forced_tokens_cost_no_pass(
    make_engine: MakeEngine, tokenizer: Tokenizer, seed: int
) -> None:
    sampling = SamplingParams(temperature=2.0, seed=seed)
    output = complete(make_engine(), Request("a", PROMPT, 40, GRAMMAR, sampling=sampling), StepBudget())
    assert tokenizer.decode(output.token_ids) in SENTENCES
    assert output.finish_reason == "stop"
    assert output.forced_tokens >= 7
    assert output.forward_passes == output.output_tokens - output.forced_tokens
    assert all(token.logprob_allowed == 0.0 for token in output.tokens if token.forced)


def test_a_grammar_without_choices_needs_no_model_at_all(make_engine: MakeEngine, tokenizer: Tokenizer) -> None:
    output = complete(make_engine(), Request("a", PROMPT, 40, 'start: "red mug"'), StepBudget())
    assert tokenizer.decode(output.token_ids) == "red mug"
    assert (output.forward_passes, output.forced_tokens, output.finish_reason) == (0, output.output_tokens, "stop")


def test_every_output_token_is_emitted_once(make_engine: MakeEngine) -> None:
    engine = make_engine()
    engine.add(Request("a", PROMPT, 40, GRAMMAR))
    results = []
    while engine.has_work:
        results.append(engine.step(StepBudget(max_num_batched_tokens=4)))
    emitted = [token for result in results for token in result.emitted.get("a", ())]
    assert tuple(emitted) == results[-1].finished[0].token_ids


def test_a_grammar_cut_by_its_length_says_so(make_engine: MakeEngine) -> None:
    output = complete(make_engine(), Request("a", PROMPT, 3, GRAMMAR), StepBudget())
    assert (output.finish_reason, output.output_tokens) == ("length", 3)


def test_a_stop_token_ends_the_output_and_is_not_part_of_it(make_engine: MakeEngine) -> None:
    plain = complete(make_engine(), Request("a", PROMPT, 8), StepBudget())
    stop = plain.token_ids[3]
    stopped = complete(make_engine(), Request("a", PROMPT, 8, stop_token_ids=(stop,)), StepBudget())
    assert stopped.finish_reason == "stop"
    assert stopped.token_ids == plain.token_ids[: plain.token_ids.index(stop)]


def test_cancelling_gives_the_memory_back_and_is_reported(make_engine: MakeEngine) -> None:
    engine = make_engine()
    for name in "ab":
        engine.add(Request(name, PROMPT, 20))
    engine.step(StepBudget())
    assert engine.cancel("a") and not engine.cancel("a") and not engine.cancel("unknown")
    held = engine.kv.pool.num_used
    finished = engine.step(StepBudget()).finished
    assert [(output.request_id, output.finish_reason, output.output_tokens) for output in finished] == [
        ("a", "cancelled", 1)
    ]
    assert engine.kv.pool.num_used <= held
    assert engine.cancel("b") and engine.kv.pool.num_used == 0


@pytest.mark.parametrize(
    ("prompt", "max_tokens", "reason"),
    [
        ((), 4, "at least one"),
        ((1,), 0, "at least one"),
        ((1,) * 200, 4, "at most 128 fit"),
        ((264,), 4, r"\[0, 264\)"),
    ],
)
def test_what_can_never_run_is_refused(
    make_engine: MakeEngine, prompt: tuple[int, ...], max_tokens: int, reason: str
) -> None:
    engine = make_engine()
    with pytest.raises(RequestError, match=reason) as caught:
        engine.add(Request("a", prompt, max_tokens))
    assert caught.value.exit_code == 3 and not engine.has_work


def test_an_id_in_use_and_a_bad_grammar_are_refused(make_engine: MakeEngine) -> None:
    engine = make_engine()
    engine.add(Request("a", PROMPT, 4))
    with pytest.raises(RequestError, match="in use"):
        engine.add(Request("a", PROMPT, 4))
    with pytest.raises(GrammarError):
        engine.add(Request("b", PROMPT, 4, grammar="start: nope"))
    assert engine.num_requests_waiting == 1


def test_damaged_weights_end_a_request_with_an_error(make_engine: MakeEngine, make_checkpoint: Any) -> None:
    engine = make_engine()
    engine._runner._final_norm[:] = np.nan  # type: ignore[attr-defined]
    output = complete(engine, Request("a", PROMPT, 4, full_logprobs=True), StepBudget())
    assert output.finish_reason == "error" and output.error is not None and "not finite" in output.error


def test_the_life_of_a_request_has_no_shortcuts() -> None:
    assert transition(RequestState.RUNNING, RequestState.WAITING) is RequestState.WAITING
    for current, following in [
        (RequestState.FINISHED, RequestState.RUNNING),
        (RequestState.SCORING, RequestState.RUNNING),
        (RequestState.WAITING, RequestState.SCORING),
    ]:
        with pytest.raises(ValueError, match="cannot go from"):
            transition(current, following)
