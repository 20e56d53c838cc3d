"""Tiny random models that between them have every feature, and the two runners on one of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from premotor_foundation.native_code.compiler import find_compiler
from premotor_foundation.native_code.errors import BuildError
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.config import ModelConfig, RopeScaling
from premotor_runtime.models.embedding import DenseTable
from premotor_runtime.models.packed import layout, packed_size

_LLAMA = ModelConfig(
    architecture="llama",
    vocab_size=1003,
    hidden_size=64,
    intermediate_size=72,
    num_hidden_layers=3,
    num_attention_heads=6,
    num_key_value_heads=2,
    head_dim=16,
    rms_norm_eps=1e-6,
    rope_theta=10_000.0,
    max_position_embeddings=2048,
    tie_word_embeddings=False,
    bos_token_id=1,
    eos_token_ids=(2,),
    attention_scale=16**-0.5,
)
CONFIGS = {
    "llama": _LLAMA,
    # an odd head size, a window, norms everywhere, a scaled embedding
    "gemma3": dataclasses.replace(
        _LLAMA,
        architecture="gemma3",
        hidden_size=40,
        num_attention_heads=3,
        num_key_value_heads=1,
        head_dim=20,
        rope_local_theta=1000.0,
        sliding_window=7,
        sliding_layers=(True, False, True),
        qk_norm=True,
        post_norms=True,
        embedding_scale=40**0.5,
        activation="gelu_tanh",
    ),
    # one query head a key-value head, bias and norm of both, scaled rotation
    "qwen": dataclasses.replace(
        _LLAMA,
        architecture="qwen2",
        num_attention_heads=2,
        head_dim=8,
        tie_word_embeddings=True,
        rope_scaling=RopeScaling(8.0, 1.0, 4.0, 64),
        qkv_bias=True,
        qk_norm=True,
    ),
}


def tiny_checkpoint(name: str, seed: int = 7) -> Checkpoint:
    """Weights of a size that keeps activations near 1; the layers' share of the stream is not small."""
    config = CONFIGS[name]
    random = np.random.default_rng(seed)
    flat = np.empty(packed_size(config), np.float32)
    for _, shape, place in layout(config):
        size = place.stop - place.start
        drawn = random.normal(0, shape[-1] ** -0.5, size) if len(shape) > 1 else random.uniform(0.5, 1.5, size)
        flat[place] = drawn
    shape = (config.vocab_size, config.hidden_size)
    table = DenseTable(random.normal(0, 1, shape).astype(np.float32))
    head = table if config.tie_word_embeddings else DenseTable(random.normal(0, 0.3, shape).astype(np.float32))
    return Checkpoint(Path("tiny"), f"{seed}-{name}", config, flat, table, head, "{}")


@pytest.fixture(scope="session")
def checkpoint() -> Callable[..., Checkpoint]:
    return tiny_checkpoint


@pytest.fixture(scope="session")
def _compiler() -> None:
    try:
        find_compiler()
    except BuildError as error:
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def needs_compiler(_compiler: None) -> None:
    """Every test of this folder builds, or finds, the library in the user's cache."""
