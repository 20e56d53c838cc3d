"""What a request asks of its answer: where it ends, what is shown of it, what is reported with each token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from premotor_runtime.engine.answers.sampling import SamplingParams
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.complete import complete
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.errors import RequestError
from premotor_runtime.engine.grammars.kinds import Choice, Regex
from premotor_runtime.engine.request import Request, RequestOutput
from premotor_runtime.models.tokenizer import Tokenizer

MakeEngine = Callable[..., Engine]
PROMPT = (257, 3, 1, 4, 1, 5, 9, 2, 6)
WARM = SamplingParams(temperature=6.0, seed=5)


def _follow(engine: Engine, *requests: Request) -> tuple[dict[tuple[str, int], RequestOutput], dict[str, list[str]]]:
    """All outputs by request and sample, and the text that each step showed."""
    for request in requests:
        engine.add(request)
    done: dict[tuple[str, int], RequestOutput] = {}
    shown: dict[str, list[str]] = {}
    while engine.has_work:
        result = engine.step(StepBudget())
        done |= {(output.request_id, output.sample): output for output in result.finished}
        for key, text in result.text.items():
            shown.setdefault(key, []).append(text)
    return done, shown


def _run(engine: Engine, **values: Any) -> RequestOutput:
    return complete(engine, Request("a", PROMPT, **({"max_tokens": 24} | values)), StepBudget())


@pytest.mark.parametrize("seed", range(12))
def test_a_stop_string_ends_text_and_output(make_engine: MakeEngine, seed: int) -> None:
    engine = make_engine()
    sampling = SamplingParams(temperature=6.0, seed=seed)
    plain = _run(engine, sampling=sampling, ignore_eos=True)
    start, length = 3 + seed % 7, 1 + seed % 4
    stops = (plain.text[start : start + length], "never")
    request = Request("s", PROMPT, 24, sampling=sampling, stop=stops, stream=True, ignore_eos=True)
    stopped, shown = _follow(engine, request)
    output = stopped["s", 0]
    assert len(set(plain.token_ids)) > 8
    assert output.text == plain.text[: plain.text.index(stops[0])]
    assert (output.finish_reason, output.stop_reason) == ("stop", stops[0])
    assert output.token_ids == plain.token_ids[: output.output_tokens]
    assert "".join(shown.get("s", [])) == output.text


def test_a_stop_string_within_forced_text_ends_it(make_engine: MakeEngine) -> None:
    grammar = 'start: "red mug and " ("a" | "b")'
    output = _run(make_engine(), grammar=grammar, stop=("mug a",))
    assert (output.text, output.finish_reason, output.stop_reason) == ("red ", "stop", "mug a")
    assert output.forward_passes == 0


@pytest.mark.parametrize("seed", range(6))
def test_streamed_text_joins_to_the_text(make_engine: MakeEngine, tokenizer: Tokenizer, seed: int) -> None:
    sampling = SamplingParams(temperature=6.0, seed=seed)
    requests = [
        Request("bytes", PROMPT, 40, sampling=sampling, stream=True),
        Request("plain", PROMPT, 40, sampling=sampling),
        Request("words", PROMPT, 40, Regex("(ü|€|😀|red ){5}"), sampling=sampling, stream=True),
    ]
    done, shown = _follow(make_engine(num_blocks=64), *requests)
    assert set(shown) == {"bytes", "words"}
    for name, pieces in shown.items():
        output = done[name, 0]
        assert "".join(pieces) == output.text == tokenizer.decode(output.token_ids)
        assert all(pieces)
    assert done["plain", 0].text == done["bytes", 0].text
    assert not any("\ufffd" in piece for piece in shown["words"])


def test_a_cancelled_answer_keeps_its_text(make_engine: MakeEngine, tokenizer: Tokenizer) -> None:
    engine = make_engine()
    engine.add(Request("a", PROMPT, 24, sampling=WARM, stop=("never",)))
    for _ in range(4):
        engine.step(StepBudget())
    engine.cancel("a")
    (output,) = engine.step(StepBudget()).finished
    assert (output.finish_reason, output.output_tokens) == ("cancelled", 4)
    assert output.text == tokenizer.decode(output.token_ids)


def test_a_stop_token_is_reported_and_the_end_of_sequence_is_not(make_engine: MakeEngine) -> None:
    plain = _run(make_engine(), sampling=WARM)
    stop = plain.token_ids[3]
    assert _run(make_engine(), sampling=WARM, stop_token_ids=(stop,)).stop_reason == stop
    for ended in (_run(_ending_engine(make_engine)), _run(make_engine(), grammar='start: "a" | "b"')):
        assert (ended.finish_reason, ended.stop_reason) == ("stop", None)


def test_min_tokens_holds_every_end_back(make_engine: MakeEngine) -> None:
    plain = _run(make_engine(), sampling=WARM)
    stop, text = plain.token_ids[2], plain.text[1]
    late = _run(make_engine(), sampling=WARM, stop_token_ids=(stop,), min_tokens=6)
    assert late.output_tokens >= 6 and stop not in late.token_ids
    assert late.token_ids[:2] == plain.token_ids[:2]
    assert _run(make_engine(), sampling=WARM, stop=(text,)).output_tokens < 5
    assert _run(make_engine(), sampling=WARM, stop=(text,), min_tokens=5).output_tokens >= 5
    for sampling in (SamplingParams(), WARM):
        assert _run(make_engine(), grammar='start: "a"{0,8}', min_tokens=5, sampling=sampling).output_tokens >= 5
    short = _run(make_engine(), grammar='start: "ab"', min_tokens=5)
    assert (short.text, short.finish_reason) == ("ab", "stop")


def test_the_end_of_sequence_can_be_ignored(make_engine: MakeEngine) -> None:
    engine = _ending_engine(make_engine)
    assert _run(engine).output_tokens == 0
    ignored = _run(engine, ignore_eos=True, max_tokens=5)
    assert (ignored.output_tokens, ignored.token_ids[0], ignored.finish_reason) == (5, 256, "length")
    assert _run(engine, min_tokens=2).token_ids[0] != 256


def _ending_engine(make_engine: MakeEngine) -> Engine:
    """One whose likeliest first token is the end of sequence."""
    engine = make_engine()
    first = _run(engine).token_ids[0]
    table = engine._runner._head.matrix  # type: ignore[attr-defined]
    table[256] = table[first] * 1.5
    return engine


@pytest.mark.parametrize("sampling", [SamplingParams(logprobs=5), SamplingParams(6.0, seed=2, logprobs=5, top_k=40)])
@pytest.mark.parametrize("grammar", [None, Choice(("red mug", "red", "blue", "mug"))])
def test_top_log_probabilities_are_the_models_own(
    make_engine: MakeEngine, sampling: SamplingParams, grammar: Any
) -> None:
    output = _run(make_engine(), sampling=sampling, grammar=grammar, full_logprobs=True, max_tokens=8)
    for token in output.tokens:
        if token.forced:
            assert (token.logprob_allowed, token.top_logprobs) == (0.0, ())
            continue
        ids, scores = zip(*token.top_logprobs, strict=True)
        assert len(set(ids)) == len(ids) <= 5
        assert list(scores) == sorted(scores, reverse=True)
        assert np.exp(scores).sum() <= 1.0 + 1e-6
        assert token.logprob_allowed <= scores[0] + 1e-6
        if token.token in ids:
            assert scores[ids.index(token.token)] == pytest.approx(token.logprob_allowed)
        if grammar is None:
            assert token.logprob_full == pytest.approx(token.logprob_allowed, abs=1e-4)
    assert _run(make_engine(), grammar=grammar, max_tokens=8).tokens[0].top_logprobs == ()


def test_a_penalty_keeps_a_greedy_answer_from_repeating(make_engine: MakeEngine) -> None:
    strong = SamplingParams(presence_penalty=2.0, frequency_penalty=2.0, repetition_penalty=5.0)
    plain, varied = _run(make_engine()), _run(make_engine(), sampling=strong)
    assert len(set(varied.token_ids)) > len(set(plain.token_ids))
    assert not set(varied.token_ids[:12]) & set(PROMPT)


@pytest.mark.parametrize("grammar", [None, Regex("(red|mug|blue)( (red|mug|blue)){2}")])
@pytest.mark.parametrize("values", [{"temperature": 6.0, "seed": 11}, {"temperature": 5.0, "top_k": 40, "seed": 3}, {}])
def test_samples_of_one_prompt_are_those_of_separate_requests(
    make_engine: MakeEngine, grammar: Any, values: dict[str, Any]
) -> None:
    extra: dict[str, Any] = {"stop": ("zz",), "stream": True}
    together, shown = _follow(
        make_engine(num_blocks=64), Request("n", PROMPT, 16, grammar, sampling=SamplingParams(**values), n=3, **extra)
    )
    assert sorted(together) == [("n", 0), ("n", 1), ("n", 2)]
    for sample in range(3):
        sampling = SamplingParams(**values | {"seed": values.get("seed", 0) + sample})
        alone, _ = _follow(make_engine(), Request("one", PROMPT, 16, grammar, sampling=sampling, **extra))
        output = together["n", sample]
        assert (output.token_ids, output.text) == (alone["one", 0].token_ids, alone["one", 0].text)
        assert "".join(shown.get(f"n/{sample}", [])) == output.text


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"max_tokens": 0}, "at least one output token; max_tokens is 0; give 1 or more"),
        ({"max_tokens": -3}, "max_tokens must be a whole number .*given -3"),
        ({"max_tokens": 2.5}, "given 2.5"),
        ({"min_tokens": 25}, r"min_tokens must be a whole number in \[0, 24\]; given 25"),
        ({"n": 0}, r"n must be a whole number in \[1, 128\]; given 0"),
        ({"n": 1000}, "given 1000"),
        ({"priority": 0.5}, "priority must be a whole number"),
        ({"deadline": float("nan")}, "deadline must be a number .*given nan"),
        ({"stop": ("a", "")}, "none of them empty"),
        ({"stop": "abc"}, "stop must be a tuple of strings"),
        ({"ignore_eos": True, "grammar": 'start: "a"'}, "exclude each other"),
    ],
)
def test_bad_values_are_refused_and_the_engine_serves_on(
    make_engine: MakeEngine, values: dict[str, Any], reason: str
) -> None:
    engine = make_engine()
    with pytest.raises(RequestError, match=reason) as caught:
        engine.add(Request("bad", PROMPT, **({"max_tokens": 24} | values)))
    assert caught.value.exit_code == 3
    assert _run(engine, max_tokens=2).output_tokens == 2


def test_limits_met_while_running_end_only_that_request(make_engine: MakeEngine) -> None:
    engine = make_engine()
    grammar = "start: s\ns: s s s s | /(a|b)*a(a|b){12}/ | A\nA: /[a-z]{0,300}b?[a-z]{0,300}c?/"
    engine.add(Request("hard", PROMPT, 60, grammar, sampling=WARM))
    engine.add(Request("easy", PROMPT, 6))
    done = [output for _ in range(80) if engine.has_work for output in engine.step(StepBudget()).finished]
    assert {output.request_id for output in done} == {"hard", "easy"}
    assert next(output for output in done if output.request_id == "easy").output_tokens == 6
