"""Full log probabilities are those of the unmasked model, forced tokens included, however they are sliced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from premotor_runtime.engine.answers.sampling import log_softmax
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.complete import complete
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request
from premotor_runtime.runners.protocol import Chunk
from premotor_runtime.runners.reference import ReferenceRunner

MakeEngine = Callable[..., Engine]
GRAMMAR = 'start: " pick " ("red" | "blue") " mug" ("s" | "!") " x"'
PROMPT = (257, 3, 1, 4, 1, 5, 9, 2, 6)


def _brute(make_checkpoint: Any, tokens: list[int]) -> list[float]:
    runner = ReferenceRunner(make_checkpoint("llama"), 32, 4)
    (out,) = runner.step([Chunk(tokens, 0, list(range(32)), list(range(len(tokens))))])
    hidden = out.hidden
    scores = log_softmax(runner.logits(hidden))
    return [float(scores[at, tokens[at + 1]]) for at in range(len(tokens) - 1)]


@pytest.mark.parametrize("budget", [StepBudget(), StepBudget(3, 2, 50), StepBudget(1, 1, 1000)])
@pytest.mark.parametrize("grammar", [None, GRAMMAR])
def test_scores_equal_those_of_the_whole_text(
    make_engine: MakeEngine, make_checkpoint: Any, budget: StepBudget, grammar: str | None
) -> None:
    engine = make_engine()
    complete(engine, Request("before", PROMPT, 4), budget)
    output = complete(engine, Request("a", PROMPT, 20, grammar, full_logprobs=True), budget)
    assert output.cached_tokens == 8
    brute = _brute(make_checkpoint, [*PROMPT, *output.token_ids])[len(PROMPT) - 1 :]
    known = [token.logprob_full is not None for token in output.tokens]
    last_choice = max(n for n, token in enumerate(output.tokens) if not token.forced)
    assert all(known[: last_choice + 1]) and not any(known[last_choice + 1 :])
    for token, expected in zip(output.tokens, brute, strict=True):
        if token.logprob_full is not None:
            assert token.logprob_full == pytest.approx(expected, abs=1e-4)
            assert token.logprob_full <= token.logprob_allowed + 1e-5


def test_without_a_grammar_both_scores_are_the_same(make_engine: MakeEngine) -> None:
    output = complete(make_engine(), Request("a", PROMPT, 6, full_logprobs=True), StepBudget())
    full = [token.logprob_full for token in output.tokens]
    assert full == pytest.approx([token.logprob_allowed for token in output.tokens], abs=1e-4)


def test_rows_of_a_step_are_bounded(make_engine: MakeEngine) -> None:
    engine = make_engine()
    engine.add(Request("a", PROMPT, 1, full_logprobs=True))
    rows = []
    while engine.has_work:
        rows.append(engine.step(StepBudget(max_scored_rows=100)).num_scored_rows)
    assert rows == [100, 100, 64]


def test_preempted_scores_are_complete(make_engine: MakeEngine) -> None:
    requests = [Request(str(n), tuple(range(n, n + 9)), 12, full_logprobs=True) for n in range(4)]
    alone = {r.request_id: complete(make_engine(), r, StepBudget()) for r in requests}
    engine = make_engine(num_blocks=8)
    for request in requests:
        engine.add(request)
    finished = [output for _ in range(400) if engine.has_work for output in engine.step(StepBudget(16)).finished]
    assert sum(output.preemptions for output in finished) > 0
    for output in finished:
        expected = [token.logprob_full for token in alone[output.request_id].tokens]
        got = [token.logprob_full for token in output.tokens]
        assert None not in got
        assert np.allclose(np.array(got, float), np.array(expected, float), atol=1e-4)
