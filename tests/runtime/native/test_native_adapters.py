"""Adapters kept apart: as on the reference runner, each for its own chunks only, however the work is cut."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from premotor_runtime.models.adapter import AdapterInfo, Factors, LoraAdapter, merge
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.packed import named_views
from premotor_runtime.runners.native.adapters import TARGETS
from premotor_runtime.runners.native.runner import NativeRunner
from premotor_runtime.runners.protocol import Chunk, ChunkOutput
from premotor_runtime.runners.reference import ReferenceRunner

Make = Callable[..., Checkpoint]
MODELS = pytest.mark.parametrize("model", ["llama", "gemma3", "qwen"])
PRECISIONS = pytest.mark.parametrize("precision", ["f32", "bf16", "int8", "int4"])
TOKENS = [int(token) for token in np.random.default_rng(9).integers(0, 1003, 80)]
NAMES = ["wide", None, "few", "wide", "empty"]


def _adapter(made: Checkpoint, rank: int, targets: tuple[str, ...], seed: int) -> LoraAdapter:
    random = np.random.default_rng(seed)
    factors = {}
    for name, view in named_views(made.flat, made.config).items():
        target = name.removesuffix(".weight")
        if view.ndim == 2 and target.split(".", 2)[2] in targets:
            a, b = random.normal(0, 0.1, (rank, view.shape[1])), random.normal(0, 0.1, (view.shape[0], rank))
            factors[target] = Factors(a.astype(np.float32), b.astype(np.float32), 1.5)
    return LoraAdapter(AdapterInfo(rank, 1.5 * rank, ""), factors)


def _adapters(made: Checkpoint) -> dict[str, LoraAdapter]:
    """Of different ranks, one of them for a few matrices only, and not in all layers."""
    few = _adapter(made, 3, ("self_attn.k_proj", "mlp.up_proj", "mlp.down_proj"), 2)
    half = {target: each for target, each in few.factors.items() if not target.startswith("layers.1.")}
    return {
        "wide": _adapter(made, 17, TARGETS, 1),
        "few": dataclasses.replace(few, factors=half),
        "empty": LoraAdapter(AdapterInfo(1, 1.0, ""), {}),
    }


def _native(made: Checkpoint, precision: str = "f32", threads: int = 2) -> NativeRunner:
    return NativeRunner(made, 40, 16, _adapters(made), precision=precision, threads=threads)


def _batch(sizes: list[int], start: int = 0) -> list[Chunk]:
    return [
        Chunk(TOKENS[n : n + size], start, range(8 * n, 8 * n + 8), range(size), "greedy", adapter=name)
        for n, (size, name) in enumerate(zip(sizes, NAMES, strict=True))
    ]


def _equal(got: list[ChunkOutput], expected: list[ChunkOutput]) -> None:
    for mine, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(mine.hidden, theirs.hidden, rtol=1e-4, atol=2e-5)
        assert mine.token == theirs.token


@MODELS
def test_equals_the_reference_in_mixed_batches(checkpoint: Make, model: str) -> None:
    made = checkpoint(model)
    reference, native = ReferenceRunner(made, 40, 16, _adapters(made)), _native(made)
    assert native.adapter_names == reference.adapter_names == ("wide", "few", "empty")
    for start, sizes in [(0, [33] * 5), (33, [1, 1, 1, 1, 1]), (34, [1, 2, 20, 1, 3])]:
        _equal(native.step(_batch(sizes, start)), reference.step(_batch(sizes, start)))


@MODELS
def test_apart_equals_merged(checkpoint: Make, model: str) -> None:
    made = checkpoint(model)
    merged = dataclasses.replace(made, flat=made.flat.copy())
    merge(_adapters(made)["wide"], merged.flat, made.config)
    chunk = Chunk(TOKENS, 0, range(5), range(80), "greedy")
    (expected,) = NativeRunner(merged, 5, 16, precision="f32", threads=2).step([chunk])
    (plain,) = NativeRunner(made, 5, 16, precision="f32", threads=2).step([chunk])
    runner = _native(made)
    (got,) = runner.step([dataclasses.replace(chunk, adapter="wide")])
    np.testing.assert_allclose(got.hidden, expected.hidden, rtol=2e-3, atol=2e-4)
    assert np.abs(got.hidden - plain.hidden).max() > 0.1
    for name in (None, "empty"):
        (same,) = runner.step([dataclasses.replace(chunk, adapter=name)])
        assert np.array_equal(same.hidden, plain.hidden)


@MODELS
@PRECISIONS
def test_neighbours_and_threads_change_nothing(checkpoint: Make, model: str, precision: str) -> None:
    """A chunk alone takes the way of small steps, in the batch that of large ones."""
    made = checkpoint(model)
    alone, together = _native(made, precision, 1), _native(made, precision, 3)
    for start, sizes in [(0, [2, 3, 1, 4, 30]), (30, [1, 1, 4, 20, 1])]:
        batch = _batch(sizes, start)
        for runner in (alone, together) if start else ():
            runner.step([dataclasses.replace(chunk, tokens=TOKENS[:30], start=0, wanted=()) for chunk in batch])
        for got, chunk in zip(together.step(batch), batch, strict=True):
            (expected,) = alone.step([chunk])
            (small,) = _continued(made, precision, chunk)
            for other in (expected, small):
                assert np.array_equal(got.hidden, other.hidden)
                assert (got.token, got.logprob) == (other.token, other.logprob)


def _continued(made: Checkpoint, precision: str, chunk: Chunk) -> list[ChunkOutput]:
    runner = _native(made, precision)
    if chunk.start:
        runner.step([dataclasses.replace(chunk, tokens=TOKENS[: chunk.start], start=0, wanted=())])
    return runner.step([chunk])


@pytest.mark.parametrize("precision", ["bf16", "int8", "int4"])
def test_what_an_adapter_adds_does_not_depend_on_the_precision(checkpoint: Make, precision: str) -> None:
    """With weights of zero all that a layer computes comes from the adapter."""
    made = checkpoint("llama")
    flat = made.flat.copy()
    for name, view in named_views(flat, made.config).items():
        if "proj" in name:
            view[:] = 0
    bare = dataclasses.replace(made, flat=flat)
    chunk = Chunk(TOKENS, 0, range(5), range(80), adapter="wide")
    (expected,), (got,) = _native(bare).step([chunk]), _native(bare, precision).step([chunk])
    scale = float(np.sqrt(np.mean(expected.hidden**2)))
    # keys and values at 16 bits, and the embedding at the precision of the weights
    assert float(np.sqrt(np.mean((got.hidden - expected.hidden) ** 2))) < (0.1 if precision == "int4" else 0.01) * scale


def test_an_unknown_adapter_is_no_silent_default(checkpoint: Make) -> None:
    runner = _native(checkpoint("llama"))
    for call in (lambda chunk: runner.step([chunk]), lambda chunk: runner.decode([chunk], 2)):
        with pytest.raises(ValueError, match=r"no adapter is called \['rude'\]; loaded are \['wide', 'few', 'empty'\]"):
            call(Chunk([1], 0, [0], pick="greedy", adapter="rude"))


def test_decoding_ahead_keeps_the_adapter(checkpoint: Make) -> None:
    made = checkpoint("gemma3")
    ahead, stepped = _native(made, "int8"), _native(made, "int8")
    batch = _batch([1] * 5)
    found, _ = ahead.decode([dataclasses.replace(chunk, wanted=()) for chunk in batch], 6)
    for step in range(6):
        outputs = stepped.step(batch)
        assert [tokens[step] for tokens in found] == [out.token for out in outputs]
        batch = [dataclasses.replace(c, tokens=[o.token], start=step + 1) for c, o in zip(batch, outputs, strict=True)]
    assert len({tuple(tokens) for tokens in found}) > 3
