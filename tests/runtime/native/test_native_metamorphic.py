"""However the work is cut, the native runner gives the same result, bit for bit where it says so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.runners.native.runner import NativeRunner
from premotor_runtime.runners.protocol import Chunk

Make = Callable[..., Checkpoint]
MODELS = pytest.mark.parametrize("model", ["llama", "gemma3", "qwen"])
PRECISIONS = pytest.mark.parametrize("precision", ["f32", "bf16", "int8", "int4"])
TOKENS = [int(token) for token in np.random.default_rng(4).integers(0, 1003, 200)]
EVERY = list(range(len(TOKENS)))


def _runner(checkpoint: Checkpoint, precision: str, threads: int = 2, blocks: int = 16) -> NativeRunner:
    return NativeRunner(checkpoint, blocks, 16, precision=precision, threads=threads)


@MODELS
@PRECISIONS
def test_threads_change_nothing(checkpoint: Make, model: str, precision: str) -> None:
    made = checkpoint(model)
    outcomes = []
    for threads in (1, 2, 5):
        runner = _runner(made, precision, threads)
        (prompt,) = runner.step([Chunk(TOKENS[:150], 0, EVERY[:16], EVERY[:150], "logits")])
        (word,) = runner.step([Chunk(TOKENS[150:151], 150, EVERY[:16], [0], "greedy")])
        outcomes.append((prompt.hidden, prompt.logits, word.hidden, word.token, word.logprob))
    for other in outcomes[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(outcomes[0], other, strict=True))


@MODELS
@PRECISIONS
def test_a_batch_equals_single_runs(checkpoint: Make, model: str, precision: str) -> None:
    made = checkpoint(model)
    tables = [[0, 1], [2, 3, 4], [5], [6, 7, 8, 9]]
    starts, single, together = [20, 33, 3, 50], _runner(made, precision), _runner(made, precision)
    for runner in (single, together):
        for start, table in zip(starts, tables, strict=True):
            runner.step([Chunk(TOKENS[:start], 0, table)])
    among = np.arange(0, 1003, 7)
    for step in range(4):
        batch = [
            Chunk([TOKENS[start]], start + step, table, [0], "greedy", among if start == 3 else None)
            for start, table in zip(starts, tables, strict=True)
        ]
        for got, chunk in zip(together.step(batch), batch, strict=True):
            (expected,) = single.step([chunk])
            assert np.array_equal(got.hidden, expected.hidden)
            assert (got.token, got.logprob) == (expected.token, expected.logprob)


@MODELS
def test_chunked_equals_whole(checkpoint: Make, model: str) -> None:
    runner = _runner(checkpoint(model), "f32", blocks=32)
    (whole,) = runner.step([Chunk(TOKENS, 0, list(range(13)), EVERY)])
    for size in (1, 7, 64):
        parts = []
        for start in range(0, len(TOKENS), size):
            piece = TOKENS[start : start + size]
            (part,) = runner.step([Chunk(piece, start, list(range(16, 29)), EVERY[: len(piece)])])
            parts.append(part.hidden)
        np.testing.assert_allclose(np.concatenate(parts), whole.hidden, rtol=1e-4, atol=2e-5)


@MODELS
def test_paged_equals_contiguous(checkpoint: Make, model: str) -> None:
    made = checkpoint(model)
    paged = NativeRunner(made, 16, 16, precision="f32", threads=1)
    contiguous = NativeRunner(made, 1, 256, precision="f32", threads=1)
    scattered = [int(block) for block in np.random.default_rng(6).permutation(16)]
    (expected,) = contiguous.step([Chunk(TOKENS, 0, [0], EVERY)])
    (got,) = paged.step([Chunk(TOKENS, 0, scattered, EVERY)])
    assert np.array_equal(got.hidden, expected.hidden)


def test_what_lies_outside_the_window_does_not_matter(checkpoint: Make) -> None:
    made = checkpoint("gemma3")
    config = made.config
    object.__setattr__(config, "sliding_layers", (True, True, True))
    try:
        runner = _runner(made, "f32")
        reach = config.num_hidden_layers * (config.sliding_window - 1)
        (one,) = runner.step([Chunk(TOKENS[:100], 0, list(range(7)), [99])])
        changed = [*(token ^ 1 for token in TOKENS[: 99 - reach]), *TOKENS[99 - reach : 100]]
        (other,) = runner.step([Chunk(changed, 0, list(range(7, 14)), [99])])
        changed[99 - reach] ^= 1
        (within,) = runner.step([Chunk(changed, 0, list(range(7, 14)), [99])])
    finally:
        object.__setattr__(config, "sliding_layers", (True, False, True))
    assert np.array_equal(one.hidden, other.hidden)
    assert not np.array_equal(one.hidden, within.hidden)


def test_the_same_step_twice_is_the_same(checkpoint: Make) -> None:
    runner = _runner(checkpoint("llama"), "int8")
    chunk = Chunk(TOKENS, 0, list(range(13)), EVERY, "greedy")
    outcomes = [runner.step([chunk])[0] for _ in range(20)]
    assert all(np.array_equal(outcome.hidden, outcomes[0].hidden) for outcome in outcomes)
