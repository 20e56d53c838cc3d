"""Quantized weights: what they stand for, run by the reference, gives what the native runner gives."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.embedding import DenseTable
from premotor_runtime.models.packed import layer_weights
from premotor_runtime.runners.native.layout import table_precision
from premotor_runtime.runners.native.runner import NativeRunner
from premotor_runtime.runners.protocol import Chunk
from premotor_runtime.runners.reference import ReferenceRunner

Make = Callable[..., Checkpoint]
TOKENS = [int(token) for token in np.random.default_rng(8).integers(0, 1003, 40)]
# keys and values at 16 bits, and for int8 and int4 the activations of every product at 8 bits
TOLERANCE = {"f32": 1e-5, "bf16": 5e-3, "int8": 4e-2, "int4": 4e-2}


def _dequantized(runner: NativeRunner, made: Checkpoint) -> Checkpoint:
    flat = made.flat.copy()
    for number, layer in enumerate(layer_weights(flat, made.config)):
        layer.qkv[:] = runner.dequantized(number, "qkv")
        layer.output[:] = runner.dequantized(number, "output")
        layer.gate_up[:] = np.concatenate([runner.dequantized(number, "gate"), runner.dequantized(number, "up")])
        layer.down[:] = runner.dequantized(number, "down")
    embedding = DenseTable(runner.dequantized_table())
    head = embedding if made.config.tie_word_embeddings else DenseTable(runner.dequantized_table(head=True))
    return dataclasses.replace(made, flat=flat, embedding=embedding, head=head)


@pytest.mark.parametrize("model", ["llama", "gemma3", "qwen"])
@pytest.mark.parametrize("precision", ["f32", "bf16", "int8", "int4"])
def test_equals_the_reference_on_dequantized_weights(checkpoint: Make, model: str, precision: str) -> None:
    made = checkpoint(model)
    native = NativeRunner(made, 4, 16, precision=precision, threads=2)
    reference = ReferenceRunner(_dequantized(native, made), 4, 16)
    chunk = Chunk(TOKENS, 0, [3, 0, 2], list(range(len(TOKENS))), "logits")
    (expected,), (got,) = reference.step([chunk]), native.step([chunk])
    scale = float(np.sqrt(np.mean(expected.hidden**2)))
    difference = float(np.sqrt(np.mean((got.hidden - expected.hidden) ** 2)))
    assert difference < TOLERANCE[precision] * scale
    assert got.logits is not None
    assert expected.logits is not None
    assert int(got.logits.argmax()) in np.argsort(-expected.logits)[:5]
    assert int(expected.logits.argmax()) in np.argsort(-got.logits)[:5]


def test_a_heavy_table_keeps_eight_bits(checkpoint: Make) -> None:
    config = checkpoint("llama").config
    assert table_precision(config, "int4") == "int4"
    assert table_precision(dataclasses.replace(config, vocab_size=100_000), "int4") == "int8"
    assert table_precision(dataclasses.replace(config, vocab_size=100_000), "bf16") == "bf16"
