"""However a request is scheduled, it gets the same answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.complete import complete
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request, RequestOutput
from premotor_runtime.runners.protocol import Chunk
from premotor_runtime.runners.reference import ReferenceRunner

MakeEngine = Callable[..., Engine]
BOTH = pytest.mark.parametrize("architecture", ["llama", "gemma3"])
TOKENS = [int(token) for token in np.random.default_rng(11).integers(0, 256, 37)]


def _run_all(engine: Engine, requests: list[Request], budget: StepBudget) -> dict[str, RequestOutput]:
    for request in requests:
        engine.add(request)
    done: dict[str, RequestOutput] = {}
    for _ in range(2000):
        if not engine.has_work:
            break
        done |= {output.request_id: output for output in engine.step(budget).finished}
    assert not engine.has_work
    return done


def _requests(count: int) -> list[Request]:
    return [Request(str(n), tuple(TOKENS[n : n + 9 + 3 * n]), 6 + n) for n in range(count)]


@BOTH
def test_paged_equals_contiguous(make_checkpoint: Any, architecture: str) -> None:
    checkpoint = make_checkpoint(architecture)
    whole = ReferenceRunner(checkpoint, 1, 64)
    paged = ReferenceRunner(checkpoint, 16, 4)
    scattered = [int(block) for block in np.random.default_rng(5).permutation(16)]
    everything = list(range(len(TOKENS)))
    (expected,) = whole.step([Chunk(TOKENS, 0, [0], everything)])
    (got,) = paged.step([Chunk(TOKENS, 0, scattered, everything)])
    assert np.array_equal(got.hidden, expected.hidden)


@BOTH
@pytest.mark.parametrize("size", [1, 5, 16])
def test_chunked_equals_whole(make_checkpoint: Any, architecture: str, size: int) -> None:
    runner = ReferenceRunner(make_checkpoint(architecture), 32, 4)
    (expected,) = runner.step([Chunk(TOKENS, 0, list(range(10)), list(range(len(TOKENS))))])
    parts = []
    for start in range(0, len(TOKENS), size):
        piece = TOKENS[start : start + size]
        (part,) = runner.step([Chunk(piece, start, list(range(16, 26)), list(range(len(piece))))])
        parts.append(part.hidden)
    np.testing.assert_allclose(np.concatenate(parts), expected.hidden, rtol=1e-4, atol=1e-5)


@BOTH
def test_a_batch_equals_single_runs_in_any_chunks(make_engine: MakeEngine, architecture: str) -> None:
    requests = _requests(4)
    single = {r.request_id: complete(make_engine(architecture), r, StepBudget()).token_ids for r in requests}
    for tokens, seqs in [(256, 8), (7, 8), (1, 2)]:
        together = _run_all(make_engine(architecture, 64), requests, StepBudget(tokens, seqs))
        assert {name: output.token_ids for name, output in together.items()} == single


@BOTH
def test_a_prefix_hit_equals_a_cold_start(make_engine: MakeEngine, architecture: str) -> None:
    engine = make_engine(architecture)
    cold = complete(engine, Request("a", tuple(TOKENS[:21]), 8), StepBudget())
    warm = complete(engine, Request("b", tuple(TOKENS[:21]), 8), StepBudget())
    assert (cold.cached_tokens, warm.cached_tokens) == (0, 20)
    assert warm.token_ids == cold.token_ids
    other = complete(engine, Request("c", (*TOKENS[:13], 7, 7, 7), 8), StepBudget())
    assert other.cached_tokens == 12
    assert other.token_ids == complete(make_engine(architecture), Request("d", (*TOKENS[:13], 7, 7, 7), 8),
                                       StepBudget()).token_ids  # fmt: skip


@BOTH
def test_preempted_equals_not_preempted(make_engine: MakeEngine, architecture: str) -> None:
    requests = [Request(str(n), tuple(TOKENS[n : n + 9]), 20) for n in range(4)]
    single = {r.request_id: complete(make_engine(architecture), r, StepBudget()).token_ids for r in requests}
    crowded = _run_all(make_engine(architecture, num_blocks=14), requests, StepBudget(16, 8))
    assert {name: output.token_ids for name, output in crowded.items()} == single
    assert sum(output.preemptions for output in crowded.values()) > 0


def test_a_long_prompt_does_not_stall_a_running_answer(make_engine: MakeEngine) -> None:
    engine = make_engine(num_blocks=64)
    engine.add(Request("answer", tuple(TOKENS[:5]), 20))
    engine.step(StepBudget())
    engine.add(Request("long", tuple(TOKENS * 3), 4))
    for _ in range(5):
        result = engine.step(StepBudget(max_num_batched_tokens=8))
        assert (result.num_decode_tokens, result.num_prefill_tokens) == (1, 7)
        assert len(result.emitted["answer"]) == 1
