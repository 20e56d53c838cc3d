"""Several answers to one prompt: its memory is computed once, and each is what a request of its own would get."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from premotor_foundation.native_code.compiler import find_compiler
from premotor_foundation.native_code.errors import BuildError
from premotor_runtime.engine.answers.sampling import SamplingParams
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.complete import complete
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request, RequestOutput
from premotor_runtime.models.tokenizer import Tokenizer
from premotor_runtime.runners.native.runner import NativeRunner

PROMPT = tuple(range(100, 114))
REQUEST = Request("a", PROMPT, 8, sampling=SamplingParams(temperature=1.0, seed=3), n=3)


def _all(engine: Engine, request: Request, budget: StepBudget) -> tuple[list[RequestOutput], dict[str, list[int]]]:
    engine.add(request)
    outputs: list[RequestOutput] = []
    emitted: dict[str, list[int]] = {}
    while engine.has_work:
        result = engine.step(budget)
        outputs += result.finished
        for key, tokens in result.emitted.items():
            emitted.setdefault(key, []).extend(tokens)
    return sorted(outputs, key=lambda output: output.sample), emitted


@pytest.mark.parametrize("copies", [True, False])
@pytest.mark.parametrize("budget", [StepBudget(), StepBudget(3, 2)])
def test_samples_equal_requests_of_their_own(make_memory_engine: Any, copies: bool, budget: StepBudget) -> None:
    engine, runner = make_memory_engine(64, copies=copies)
    outputs, emitted = _all(engine, REQUEST, budget)
    assert [output.sample for output in outputs] == [0, 1, 2]
    for output in outputs:
        sampling = dataclasses.replace(REQUEST.sampling, seed=3 + output.sample)
        single, _ = make_memory_engine(64)
        alone = complete(single, dataclasses.replace(REQUEST, n=1, sampling=sampling), StepBudget())
        assert output.token_ids == alone.token_ids == tuple(emitted[f"a/{output.sample}"])
    assert len({output.token_ids for output in outputs}) == 3
    computed = sum(len(chunk.tokens) for batch in runner.batches for chunk in batch)
    assert computed == len(PROMPT) + 3 * 7 + (0 if copies else 2 * (len(PROMPT) % 4))


def test_memory_is_shared_until_it_is_written(make_memory_engine: Any) -> None:
    engine, runner = make_memory_engine(64)
    engine.add(REQUEST)
    engine.step(StepBudget())
    assert engine.num_requests_running == 3 and engine.kv.pool.num_used == 4
    engine.step(StepBudget())
    assert engine.kv.pool.num_used == 4 + 2
    tables = [chunk.block_table for chunk in runner.batches[-1]]
    assert len({table[3] for table in tables}) == 3 and len({tuple(table[:3]) for table in tables}) == 1


def test_samples_survive_a_crowd(make_memory_engine: Any) -> None:
    roomy, _ = make_memory_engine(64)
    request = dataclasses.replace(REQUEST, max_tokens=16)
    expected, _ = _all(roomy, request, StepBudget())
    crowded, _ = make_memory_engine(9)
    outputs, _ = _all(crowded, request, StepBudget())
    assert [output.token_ids for output in outputs] == [output.token_ids for output in expected]
    assert sum(output.preemptions for output in outputs) > 0


@pytest.mark.parametrize("architecture", ["llama", "gemma3"])
def test_samples_of_a_real_model(make_engine: Callable[..., Engine], architecture: str) -> None:
    outputs, _ = _all(make_engine(architecture), REQUEST, StepBudget())
    for output in outputs:
        sampling = dataclasses.replace(REQUEST.sampling, seed=3 + output.sample)
        alone = complete(make_engine(architecture), dataclasses.replace(REQUEST, n=1, sampling=sampling), StepBudget())
        assert output.token_ids == alone.token_ids


@pytest.mark.parametrize("precision", ["f32", "int8"])
def test_samples_of_the_native_runner_share_the_prompt(
    make_checkpoint: Any, tokenizer: Tokenizer, clock: Any, precision: str
) -> None:
    try:
        find_compiler()
    except BuildError as error:
        pytest.skip(str(error))

    computed: list[int] = []

    class Counting(NativeRunner):
        def step(self, batch: Any) -> Any:
            computed.append(sum(len(chunk.tokens) for chunk in batch))
            return super().step(batch)

    def make() -> Engine:
        return Engine(Counting(make_checkpoint("gemma3"), 32, 4, precision=precision, threads=1), tokenizer, clock)

    varied = dataclasses.replace(REQUEST, sampling=SamplingParams(temperature=10.0, seed=3))
    outputs, _ = _all(make(), varied, StepBudget())
    assert sum(computed) == len(PROMPT) + 3 * 7
    for output in outputs:
        sampling = dataclasses.replace(varied.sampling, seed=3 + output.sample)
        alone = complete(make(), dataclasses.replace(varied, n=1, sampling=sampling), StepBudget())
        assert output.token_ids == alone.token_ids
    assert len({output.token_ids for output in outputs}) == 3


def test_samples_without_a_choice_are_all_reported(make_memory_engine: Any) -> None:
    engine, runner = make_memory_engine(64)
    outputs, _ = _all(engine, dataclasses.replace(REQUEST, grammar='start: "red mug"', max_tokens=20), StepBudget())
    assert len(outputs) == 3 and len({output.token_ids for output in outputs}) == 1
    assert not runner.batches
