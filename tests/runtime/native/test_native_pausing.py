"""A forward pass that is stopped and gone on with is the same pass, bit for bit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.runners.native.runner import NativeRunner
from premotor_runtime.runners.protocol import Chunk, ChunkOutput, PausableRunner

Make = Callable[..., Checkpoint]
TOKENS = [int(token) for token in np.random.default_rng(5).integers(0, 1003, 200)]


def _runner(checkpoint: Checkpoint, precision: str = "int4", threads: int = 1) -> NativeRunner:
    return NativeRunner(checkpoint, 16, 16, precision=precision, threads=threads)


def _in_parts(runner: NativeRunner, batch: Sequence[Chunk]) -> tuple[list[ChunkOutput], int]:
    """The outputs, and how often the pass was stopped: each part gets twice the time of the one before."""
    runner.begin(batch)
    pauses, seconds = 0, 1e-7
    while (outputs := runner.go_on(seconds)) is None:
        pauses, seconds = pauses + 1, 2 * seconds
    return outputs, pauses


def _batches() -> list[list[Chunk]]:
    among = np.arange(0, 1003, 7)
    return [
        [Chunk(TOKENS[:60], 0, [0, 1, 2, 3, 4], [0, 59], "greedy"), Chunk(TOKENS[60:80], 0, [5, 6], (), "logits")],
        [Chunk(TOKENS[60:61], 60, [0, 1, 2, 3, 4], [0], "greedy"), Chunk([7], 20, [5, 6], (), "logits", among)],
        [Chunk(TOKENS[61:75], 61, [0, 1, 2, 3, 4], range(14), "greedy", among)],
    ]


@pytest.mark.parametrize("model", ["llama", "gemma3", "qwen"])
@pytest.mark.parametrize("precision", ["f32", "int4"])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_pass_in_parts_equals_a_whole_one(checkpoint: Make, model: str, precision: str, threads: int) -> None:
    made = checkpoint(model)
    whole, parted = _runner(made, precision, 2), _runner(made, precision, threads)
    for batch in _batches():
        outputs, pauses = _in_parts(parted, batch)
        assert pauses > 0
        for got, expected in zip(outputs, whole.step(batch), strict=True):
            assert np.array_equal(got.hidden, expected.hidden)
            assert got.token == expected.token
            assert got.logprob == expected.logprob or math.isnan(expected.logprob)
            assert (got.logits is None) == (expected.logits is None)
            assert got.logits is None or np.array_equal(got.logits, expected.logits)


def test_no_time_is_no_progress_and_endless_time_is_all(checkpoint: Make) -> None:
    runner = _runner(checkpoint("llama"))
    assert isinstance(runner, PausableRunner)
    runner.begin(_batches()[0])
    assert all(runner.go_on(seconds) is None for seconds in (0.0, -1.0, -math.inf))
    assert runner.go_on(math.inf) is not None


def test_what_was_given_up_leaves_no_trace(checkpoint: Make) -> None:
    made = checkpoint("llama")
    runner, untouched = _runner(made), _runner(made)
    first, second, _ = _batches()
    for each in (runner, untouched):
        each.step(first)
    runner.begin([Chunk(TOKENS[:40], 60, [0, 1, 2, 3, 4, 7, 8], (), "greedy")])
    assert runner.go_on(1e-7) is None
    runner.abandon()
    for got, expected in zip(runner.step(second), untouched.step(second), strict=True):
        assert got.token == expected.token
        assert np.array_equal(got.hidden, expected.hidden)


def test_only_one_pass_at_a_time(checkpoint: Make) -> None:
    runner = _runner(checkpoint("llama"))
    with pytest.raises(ValueError, match="no step was begun"):
        runner.go_on(1.0)
    runner.begin(_batches()[0])
    for call in (
        lambda: runner.step(_batches()[1]),
        lambda: runner.begin(_batches()[1]),
        lambda: runner.decode([Chunk([1], 0, [0])], 2),
        lambda: runner.logits(np.zeros((1, 64), np.float32)),
        lambda: runner.normalizers(np.zeros((1, 64), np.float32), 0, 10),
    ):
        with pytest.raises(ValueError, match="is not done"):
            call()
    runner.abandon()
    runner.abandon()
    assert runner.step(_batches()[0])


def test_a_bad_batch_begins_nothing(checkpoint: Make) -> None:
    runner = _runner(checkpoint("llama"))
    with pytest.raises(IndexError, match="vocabulary"):
        runner.begin([Chunk([5000], 0, [0])])
    with pytest.raises(ValueError, match="no step was begun"):
        runner.go_on(1.0)
