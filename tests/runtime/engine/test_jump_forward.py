"""Tokens that a grammar forces are appended without a pass for each, and the answer is the same as with one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from premotor_runtime.engine.answers.sampling import SamplingParams
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.complete import complete
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.grammars.kinds import Choice, JsonSchema, Regex
from premotor_runtime.engine.request import Request

MakeEngine = Callable[..., Engine]
PROMPT = (257, 3, 1, 4, 1, 5, 9, 2, 6)
PLAN = r"""
start: " " step ("; " step){0,3} "\n"
step: "go " place | "pick up the " thing | "wait " ("1 second" | /[2-9]/ " seconds")
place: "kitchen" | "bedroom" | "bathroom"
thing: "red mug" | "red box" | "book"
"""
SCHEMA = JsonSchema(
    {
        "type": "object",
        "properties": {"colour": {"enum": ["red", "blue"]}, "count": {"type": "integer", "minimum": 1, "maximum": 99}},
        "required": ["colour", "count"],
        "additionalProperties": False,
    }
)


@pytest.mark.parametrize("grammar", [PLAN, SCHEMA, Regex("mug( red)? and so on"), Choice(("one mug", "one red mug"))])
@pytest.mark.parametrize("temperature", [0.0, 1.5])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_answer_from_fewer_passes(
    make_engine: MakeEngine, grammar: Any, temperature: float, seed: int
) -> None:
    sampling = SamplingParams(temperature=temperature, seed=seed)
    prompt = (*PROMPT, seed)
    jumping, plain = (
        complete(make_engine(num_blocks=64), Request("a", prompt, 80, grammar, sampling=sampling, jump_forward=jump),
                 StepBudget())
        for jump in (True, False)
    )  # fmt: skip
    assert jumping.token_ids == plain.token_ids and jumping.text == plain.text
    assert (jumping.finish_reason, jumping.forced_tokens) == (plain.finish_reason, plain.forced_tokens)
    assert plain.forward_passes == plain.output_tokens
    assert jumping.forward_passes == jumping.output_tokens - jumping.forced_tokens
    assert jumping.forward_passes <= 0.6 * plain.forward_passes
    for one, other in zip(jumping.tokens, plain.tokens, strict=True):
        assert one.logprob_allowed == pytest.approx(other.logprob_allowed, abs=1e-4)


def test_both_kinds_share_a_running_batch(make_engine: MakeEngine) -> None:
    alone = {
        jump: complete(make_engine(), Request("a", PROMPT, 80, PLAN, jump_forward=jump), StepBudget()).token_ids
        for jump in (True, False)
    }
    free = complete(make_engine(), Request("b", PROMPT, 12), StepBudget()).token_ids
    engine = make_engine(num_blocks=64)
    engine.add(Request("free", PROMPT, 12))
    engine.step(StepBudget())
    for jump in (True, False):
        engine.add(Request(str(jump), PROMPT, 80, PLAN, jump_forward=jump))
    done = {}
    while engine.has_work:
        done |= {output.request_id: output.token_ids for output in engine.step(StepBudget()).finished}
    assert done == {"free": free, "True": alone[True], "False": alone[False]}
