"""A tiny random model with a byte tokenizer, built without torch; greedy answers are as good as random, and exact."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tokenizers import AddedToken, decoders, pre_tokenizers
from tokenizers import Tokenizer as RawTokenizer
from tokenizers.models import BPE

from premotor_runtime.engine.engine import Engine
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.embedding import DenseTable
from premotor_runtime.models.packed import layout, packed_size
from premotor_runtime.models.tokenizer import Tokenizer
from premotor_runtime.runners.reference import ReferenceRunner

_LLAMA = ModelConfig(
    architecture="llama",
    vocab_size=264,
    hidden_size=32,
    intermediate_size=48,
    num_hidden_layers=3,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=8,
    rms_norm_eps=1e-6,
    rope_theta=10_000.0,
    max_position_embeddings=512,
    tie_word_embeddings=True,
    bos_token_id=257,
    eos_token_ids=(256,),
    attention_scale=8**-0.5,
)
_GEMMA = dataclasses.replace(
    _LLAMA, architecture="gemma3", rope_local_theta=1000.0, sliding_window=7, sliding_layers=(True, False, True)
)
CONFIGS = {"llama": _LLAMA, "gemma3": _GEMMA}


def _tokenizer_json() -> str:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = [*alphabet, "<eos>", "<bos>", "mu", "mug", "ed", "red"]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    merges = [("m", "u"), ("mu", "g"), ("e", "d"), ("r", "ed")]
    raw = RawTokenizer(BPE(vocab=vocabulary, merges=merges))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    raw.decoder = decoders.ByteLevel()
    raw.add_special_tokens([AddedToken("<eos>", special=True), AddedToken("<bos>", special=True)])
    return str(raw.to_str())


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
        table = DenseTable(random.normal(0, 1, (config.vocab_size, config.hidden_size)).astype(np.float32))
        return Checkpoint(Path("tiny"), "0" * 64, config, flat, table, table, _tokenizer_json())

    return make


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    return Tokenizer(_tokenizer_json(), Path("tiny"), 257, (256,))


class SteppedClock:
    """Seconds that move only when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def make_engine(
    make_checkpoint: Callable[[str], Checkpoint], tokenizer: Tokenizer, clock: SteppedClock
) -> Callable[..., Engine]:
    def make(architecture: str = "llama", num_blocks: int = 32, block_size: int = 4) -> Engine:
        runner = ReferenceRunner(make_checkpoint(architecture), num_blocks, block_size)
        return Engine(runner, tokenizer, clock)

    return make
