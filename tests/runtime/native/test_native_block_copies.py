"""Blocks of keys and values copied within the native runner's memory: one prompt goes on in several ways."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.runners.native.runner import NativeRunner
from premotor_runtime.runners.protocol import BlockCopier, Chunk

Make = Callable[..., Checkpoint]
TOKENS = [int(token) for token in np.random.default_rng(11).integers(0, 1003, 40)]


@pytest.mark.parametrize("model", ["llama", "gemma3", "qwen"])
@pytest.mark.parametrize("precision", ["f32", "int8"])
@pytest.mark.parametrize("block_size", [4, 16, 24])
def test_a_copy_goes_on_like_its_source(checkpoint: Make, model: str, precision: str, block_size: int) -> None:
    blocks = -(-41 // block_size)
    runner = NativeRunner(checkpoint(model), 3 * blocks, block_size, precision=precision, threads=2)
    assert isinstance(runner, BlockCopier)
    table, copy = list(range(blocks)), list(range(2 * blocks, 3 * blocks))
    runner.step([Chunk(TOKENS, 0, table)])
    runner.copy_blocks(list(zip(table, copy, strict=True)))
    (first,) = runner.step([Chunk([5], 40, table, [0])])
    (other,) = runner.step([Chunk([6], 40, copy, [0])])
    (again,) = runner.step([Chunk([5], 40, copy, [0])])
    assert np.array_equal(first.hidden, again.hidden)
    assert not np.array_equal(first.hidden, other.hidden)


def test_pairs_are_taken_one_after_the_other(checkpoint: Make) -> None:
    runner = NativeRunner(checkpoint("llama"), 4, 16, precision="int8", threads=1)
    runner.step([Chunk(TOKENS[:16], 0, [0]), Chunk(TOKENS[16:32], 0, [1])])
    (expected,) = runner.step([Chunk([5], 16, [1, 3], [0])])
    runner.copy_blocks([(1, 0), (0, 2), (2, 2)])
    runner.copy_blocks([])
    (got,) = runner.step([Chunk([5], 16, [2, 3], [0])])
    assert np.array_equal(got.hidden, expected.hidden)


@pytest.mark.parametrize("pair", [(0, 4), (4, 0), (-1, 0), (0, -1)])
def test_a_block_that_does_not_exist_is_refused_and_nothing_copied(checkpoint: Make, pair: tuple[int, int]) -> None:
    runner = NativeRunner(checkpoint("llama"), 4, 16, precision="f32", threads=1)
    runner.step([Chunk(TOKENS[:16], 0, [0]), Chunk(TOKENS[16:32], 0, [1])])
    (expected,) = runner.step([Chunk([5], 16, [1, 3], [0])])
    with pytest.raises(IndexError, match="a block that does not exist"):
        runner.copy_blocks([(0, 1), pair])
    (got,) = runner.step([Chunk([5], 16, [1, 3], [0])])
    assert np.array_equal(got.hidden, expected.hidden)
    runner.close()
    with pytest.raises(ValueError, match="closed"):
        runner.copy_blocks([(0, 1)])
