"""Tiny random models of every family, in memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.config import ModelConfig, RopeScaling
from premotor_runtime.models.embedding import DenseTable
from premotor_runtime.models.features import features
from premotor_runtime.models.packed import layout, packed_size

_LLAMA = ModelConfig(
    architecture="llama", vocab_size=97, hidden_size=32, intermediate_size=40, num_hidden_layers=3,
    num_attention_heads=4, num_key_value_heads=2, head_dim=8, rms_norm_eps=1e-6, rope_theta=10_000.0,
    max_position_embeddings=512, tie_word_embeddings=True, bos_token_id=1, eos_token_ids=(2,), attention_scale=8**-0.5,
)  # fmt: skip
_SLIDING: dict[str, Any] = {"sliding_window": 7, "sliding_layers": (True, False, True), "rope_local_theta": 1000.0}
_QWEN2: dict[str, Any] = {"architecture": "qwen2", "num_key_value_heads": 1, "tie_word_embeddings": False}
_QWEN3: dict[str, Any] = {"architecture": "qwen3", "head_dim": 24, "rope_scaling": RopeScaling(8.0, 1.0, 4.0, 32)}
CONFIGS = {
    "llama": _LLAMA,
    "gemma3": dataclasses.replace(_LLAMA, architecture="gemma3", **_SLIDING, **features("gemma3", 32)),
    "qwen2": dataclasses.replace(_LLAMA, **_QWEN2, **features("qwen2", 32)),
    "qwen3": dataclasses.replace(_LLAMA, **_QWEN3, **features("qwen3", 32)),
}


def _table(random: np.random.Generator, config: ModelConfig) -> DenseTable:
    return DenseTable(random.normal(0, 1, (config.vocab_size, config.hidden_size)).astype(np.float32))


@pytest.fixture(scope="session")
def make_checkpoint() -> Callable[[str], Checkpoint]:
    def make(architecture: str) -> Checkpoint:
        config = CONFIGS[architecture]
        random = np.random.default_rng(7)
        flat = np.empty(packed_size(config), np.float32)
        for _, shape, place in layout(config):
            size = place.stop - place.start
            drawn = random.normal(0, shape[-1] ** -0.5, size) if len(shape) > 1 else random.uniform(0.5, 1.5, size)
            flat[place] = drawn
        embedding = _table(random, config)
        head = embedding if config.tie_word_embeddings else _table(random, config)
        return Checkpoint(Path("tiny"), "0" * 64, config, flat, embedding, head, "")

    return make
