"""A tiny random model with a byte tokenizer, built without torch; greedy answers are as good as random, and exact."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import AddedToken, decoders, pre_tokenizers
from tokenizers import Tokenizer as RawTokenizer
from tokenizers.models import BPE

from premotor_runtime.engine.engine import Engine
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.embedding import DenseTable
from premotor_runtime.models.features import features
from premotor_runtime.models.packed import layout, packed_size
from premotor_runtime.models.tokenizer import Tokenizer
from premotor_runtime.runners.picking import picked
from premotor_runtime.runners.protocol import Chunk, ChunkOutput
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
    _LLAMA,
    architecture="gemma3",
    rope_local_theta=1000.0,
    sliding_window=7,
    sliding_layers=(True, False, True),
    **features("gemma3", 32),
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


class MemoryRunner:
    """A runner whose keys and values are the tokens themselves, read back through the block table.

    What it picks depends on every token before, so memory that was lost, shared or copied wrongly gives another answer.
    A step moves `clock` on by `seconds(batch)`.
    """

    def __init__(self, num_blocks: int, block_size: int, clock: SteppedClock, copies: bool = True) -> None:
        self.config = dataclasses.replace(_LLAMA, max_position_embeddings=4096)
        self.num_blocks, self.block_size = num_blocks, block_size
        self.adapter_names = ("one", "two")
        self.memory = np.full((num_blocks, block_size), -1, np.int64)
        self.seconds: Callable[[list[Chunk]], float] = lambda batch: 0.0
        self.batches: list[list[Chunk]] = []
        self._texts: list[Any] = []
        self._clock = clock
        if copies:
            self.copy_blocks = self._copy_blocks

    def _copy_blocks(self, pairs: list[tuple[int, int]]) -> None:
        for source, target in pairs:
            self.memory[target] = self.memory[source]

    def step(self, batch: list[Chunk]) -> list[ChunkOutput]:
        self.batches.append([dataclasses.replace(chunk, block_table=list(chunk.block_table)) for chunk in batch])
        self._clock.now += self.seconds(batch)
        for chunk in batch:
            for position, token in enumerate(chunk.tokens, chunk.start):
                block, place = chunk.block_table[position // self.block_size], position % self.block_size
                self.memory[block, place] = 10 * token + _mark(chunk)
        return [self._output(chunk) for chunk in batch]

    def decode(self, batch: list[Chunk], steps: int) -> tuple[list[list[int]], list[list[float]]]:
        found: list[list[ChunkOutput]] = []
        for _ in range(steps):
            found.append(self.step(batch))
            after = zip(batch, found[-1], strict=True)
            batch = [dataclasses.replace(c, tokens=[o.token], start=c.start + 1) for c, o in after]
        turned = list(zip(*found, strict=True))
        return [[o.token for o in row] for row in turned], [[o.logprob for o in row] for row in turned]

    def _output(self, chunk: Chunk) -> ChunkOutput:
        table = np.array(chunk.block_table)
        seen = self.memory[table].reshape(-1)[: chunk.start + len(chunk.tokens)]
        assert (seen >= 0).all() and (seen % 10 == _mark(chunk)).all()
        hidden = np.zeros((len(chunk.wanted), self.config.hidden_size), np.float32)
        for row, at in enumerate(chunk.wanted):
            hidden[row, 0] = len(self._texts)
            self._texts.append(seen[: chunk.start + at + 1])
        logits = None if chunk.pick == "nothing" else self._logits(seen)
        return picked(chunk, hidden, logits if logits is None or chunk.among is None else logits[chunk.among])

    def _logits(self, text: Any) -> Any:
        drawn = np.random.default_rng([int(number) for number in text]).normal(0, 1, 256).astype(np.float32)
        return np.concatenate([drawn, np.full(self.config.vocab_size - 256, -30, np.float32)])

    def logits(self, hidden: Any, ids: Any = None) -> Any:
        """A hidden state is the number of the text that led to it."""
        rows = [self._logits(self._texts[int(state[0])])[slice(None) if ids is None else ids] for state in hidden]
        self._clock.now += sum(map(len, rows)) * 1e-6
        return np.array(rows)


def _mark(chunk: Chunk) -> int:
    return len(chunk.adapter or "")


MakeMemoryEngine = Callable[..., tuple[Engine, MemoryRunner]]


@pytest.fixture(scope="session")
def make_memory_engine(tokenizer: Tokenizer) -> MakeMemoryEngine:
    def make(num_blocks: int = 16, block_size: int = 4, copies: bool = True, **options: Any) -> Any:
        clock = SteppedClock()
        runner = MemoryRunner(num_blocks, block_size, clock, copies)
        return Engine(runner, tokenizer, clock, **options), runner

    return make
