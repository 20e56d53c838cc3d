"""The Triton kernels, in Triton's interpreter, give what their plain torch definitions give."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_runtime.runners.protocol import Chunk
from premotor_runtime.runners.torch.operations import HeadShape
from premotor_runtime.runners.torch.plan import StepTensors, plan_padded_decode, plan_step

torch = pytest.importorskip("torch")
pytest.importorskip("triton")
pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(os.environ.get("TRITON_INTERPRET") != "1", reason="TRITON_INTERPRET is not 1"),
]

SOME = settings(max_examples=8, deadline=None)
DTYPES = st.sampled_from([torch.float32, torch.bfloat16])
SHAPES = st.builds(
    lambda kv_heads, group, head_dim: HeadShape(kv_heads * group, kv_heads, head_dim, 1e-6),
    st.integers(1, 2), st.sampled_from([1, 2, 3, 4, 7]), st.sampled_from([8, 16, 24, 64]),
)  # fmt: skip
BLOCK_SIZES = st.sampled_from([16, 32])
WINDOWS = st.sampled_from([0, 1, 5, 16, 37])


def _operations(processors: int = 4) -> tuple[Any, Any]:
    from premotor_runtime.runners.torch.definition import TorchOperations
    from premotor_runtime.runners.torch.triton_operations import TritonOperations

    return TritonOperations(processors), TorchOperations()


def _close(got: Any, expected: Any) -> None:
    # 16 bits: the interpreter cuts where torch rounds, so the last bit may differ, and the shares of the softmax once
    tolerance = 2e-5 if expected.dtype == torch.float32 else 3e-2
    torch.testing.assert_close(got, expected, atol=tolerance, rtol=tolerance)


def _step(plan: Any) -> StepTensors:
    views = plan.packing.views(torch.from_numpy(plan.packing.joined()))
    return StepTensors.of(views, plan.prefills, plan.longest_decode)


@dataclasses.dataclass
class Case:
    """A batch over a random cache; `poisoned` has NaN wherever no position of the batch lies."""

    chunks: list[Chunk]
    query: Any
    cache: Any
    poisoned: Any


def _case(shape: HeadShape, lengths: list[tuple[int, int]], block_size: int, dtype: Any, seed: int) -> Case:
    random = np.random.default_rng(seed)
    counts = [-(-(start + size) // block_size) for start, size in lengths]
    blocks = iter(random.permutation(sum(counts) + 2).tolist())
    tables = [[next(blocks) for _ in range(count)] for count in counts]
    chunks = [Chunk([0] * size, start, table) for (start, size), table in zip(lengths, tables, strict=True)]
    torch.manual_seed(seed)
    cache = torch.randn(2, sum(counts) + 2, block_size, shape.kv_heads, shape.head_dim).to(dtype)
    used = torch.zeros(cache.shape[1:3], dtype=torch.bool)
    for chunk, (start, size) in zip(chunks, lengths, strict=True):
        for position in range(start + size):
            used[chunk.block_table[position // block_size], position % block_size] = True
    poisoned = cache.masked_fill(~used[None, :, :, None, None], torch.nan)
    rows = sum(size for _, size in lengths)
    return Case(chunks, torch.randn(rows, shape.heads, shape.head_dim).to(dtype), cache, poisoned)


@SOME
@given(SHAPES, st.lists(st.integers(1, 90), min_size=1, max_size=2), BLOCK_SIZES, WINDOWS, DTYPES, st.integers(0, 99))
def test_decode_attention(
    shape: HeadShape, contexts: list[int], block_size: int, window: int, dtype: Any, seed: int
) -> None:
    kernels, definition = _operations()
    case = _case(shape, [(context - 1, 1) for context in contexts], block_size, dtype, seed)
    step = _step(plan_step(case.chunks, block_size, kernels.tile_tokens(shape)))
    expected = definition.attend(case.query, shape, case.cache, step, window, 0.3)
    _close(kernels.attend(case.query, shape, case.poisoned, step, window, 0.3), expected)


@SOME
@given(SHAPES, st.lists(st.integers(1, 200), min_size=1, max_size=2), st.integers(2, 40), WINDOWS, st.integers(0, 99))
def test_decode_attention_over_split_contexts(
    shape: HeadShape, contexts: list[int], processors: int, window: int, seed: int
) -> None:
    """Some splits of a short context are empty."""
    kernels, definition = _operations(processors)
    case = _case(shape, [(context - 1, 1) for context in contexts], 16, torch.float32, seed)
    step = dataclasses.replace(_step(plan_step(case.chunks, 16, 1)), longest_decode=1 << 20)
    expected = definition.attend(case.query, shape, case.cache, step, window, 0.3)
    _close(kernels.attend(case.query, shape, case.poisoned, step, window, 0.3), expected)


@SOME
@given(
    SHAPES,
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 50)), min_size=1, max_size=2),
    BLOCK_SIZES, WINDOWS, DTYPES, st.integers(0, 99),
)  # fmt: skip
def test_prefill_attention_beside_decodes(
    shape: HeadShape, lengths: list[tuple[int, int]], block_size: int, window: int, dtype: Any, seed: int
) -> None:
    """A size of 1 is a decode."""
    kernels, definition = _operations()
    case = _case(shape, lengths, block_size, dtype, seed)
    step = _step(plan_step(case.chunks, block_size, kernels.tile_tokens(shape)))
    expected = definition.attend(case.query, shape, case.cache, step, window, 0.3)
    _close(kernels.attend(case.query, shape, case.poisoned, step, window, 0.3), expected)


@pytest.mark.parametrize("longest", [1, 1 << 20])
def test_rows_that_fill_a_batch_up_attend_to_nothing(longest: int) -> None:
    kernels, definition = _operations()
    shape = HeadShape(4, 2, 16, 1e-6)
    case = _case(shape, [(20, 1), (4, 1)], 16, torch.float32, 0)
    step = dataclasses.replace(_step(plan_padded_decode(case.chunks, 4, 16, 16)), longest_decode=longest)
    query = torch.randn(4, 4, 16)
    got = kernels.attend(query, shape, case.poisoned, step, 0, 0.3)
    _close(got, definition.attend(query, shape, case.cache, step, 0, 0.3))
    assert not got[2:].any() and got[:2].any()


@SOME
@given(SHAPES, st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=5), st.booleans(), DTYPES, st.integers(0, 99))
def test_rotation_and_write_to_the_cache(
    shape: HeadShape, kinds: list[int], normed: bool, dtype: Any, seed: int
) -> None:
    """A slot below 0 is one for which nothing is stored."""
    kernels, definition = _operations()
    torch.manual_seed(seed)
    rows, free = len(kinds), torch.randperm(48)[: len(kinds)].tolist()
    slots = torch.tensor([slot if kind >= 0 else -1 for kind, slot in zip(kinds, free, strict=True)], dtype=torch.int32)
    projected = torch.randn(rows, (shape.heads + 2 * shape.kv_heads) * shape.head_dim).to(dtype)
    angles = torch.randn(rows, shape.head_dim // 2)
    norms = torch.rand(2, shape.head_dim) + 0.5 if normed else None
    got = torch.full((2, 3, 16, shape.kv_heads, shape.head_dim), 9.0, dtype=dtype)
    expected = got.clone()
    turn = (angles.cos(), angles.sin())
    _close(
        kernels.rotate_and_store(projected, shape, norms, turn, got, slots),
        definition.rotate_and_store(projected, shape, norms, turn, expected, slots),
    )
    _close(got, expected)
    stored = [slot for slot in slots.tolist() if slot >= 0]
    untouched = torch.tensor([slot for slot in range(48) if slot not in stored])
    assert (got.flatten(1, 2)[:, untouched] == 9.0).all()


@SOME
@given(st.integers(1, 4), st.sampled_from([8, 31, 640]), st.sampled_from([None, False, True]), DTYPES, DTYPES)
def test_sum_and_norm(rows: int, hidden: int, change_normed: bool | None, dtype: Any, into: Any) -> None:
    kernels, definition = _operations()
    torch.manual_seed(rows * hidden)
    residual, weight = torch.randn(rows, hidden), torch.rand(hidden) + 0.5
    change = None if change_normed is None else torch.randn(rows, hidden).to(dtype)
    change_weight = torch.rand(hidden) if change_normed else None
    mine, theirs = residual.clone(), residual.clone()
    got = kernels.add_norm(mine, change, change_weight, weight, 1e-6, into)
    expected = definition.add_norm(theirs, change, change_weight, weight, 1e-6, into)
    assert got.dtype == into
    _close(got, expected)
    _close(mine, theirs)


@SOME
@given(st.integers(1, 2), st.sampled_from([7, 1024, 1500]), st.booleans(), DTYPES)
def test_gate(rows: int, inner: int, gelu: bool, dtype: Any) -> None:
    kernels, definition = _operations()
    torch.manual_seed(rows * inner)
    gate_up = (3 * torch.randn(rows, 2 * inner)).to(dtype)
    _close(kernels.gate(gate_up, gelu), definition.gate(gate_up, gelu))
