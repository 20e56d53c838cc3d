"""What the engine asks of a model runner."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.embedding import Ids
from premotor_runtime.models.packed import Floats

Pick = Literal["nothing", "greedy", "logits"]


@dataclass(frozen=True)
class Chunk:
    """The next tokens of one sequence: `tokens` stand at positions `start`, `start + 1`, …

    `block_table` must cover all positions up to the last; positions before `start` have been computed. `wanted` are the
    indices within `tokens` whose hidden states are handed back. `pick` asks about the token that follows the last of
    `tokens`: the likeliest among the ids `among` (ascending, distinct; None for all), or the logits of all of them.
    `adapter` names a LoRA adapter that the runner was loaded with; None for the model as it is.
    """

    tokens: Sequence[int]
    start: int
    block_table: Sequence[int]
    wanted: Sequence[int] = ()
    pick: Pick = "nothing"
    among: Ids | None = None
    adapter: str | None = None


@dataclass(frozen=True)
class ChunkOutput:
    """What a step computed for one chunk.

    `hidden`: final hidden states at the wanted positions, float32 (len(wanted), hidden_size). `token`: the likeliest id
    (the lowest of equals), and `logprob`: the log of its share among the ids that were allowed; -1 and NaN where it was
    not asked for or a logit is not finite. `logits`: float32 (number of ids), None unless asked for.
    """

    hidden: Floats
    token: int = -1
    logprob: float = math.nan
    logits: Floats | None = None


@dataclass(frozen=True)
class RunnerMemory:
    """What a runner takes before its first step: bytes of a block of keys and values, and of weights not loaded yet.

    `available_bytes` are those of the device that it runs on; None for this machine's memory.
    """

    block_bytes: int
    weight_bytes: int
    available_bytes: int | None = None


class ModelRunner(Protocol):
    """Runs one model. Holds the paged keys and values, but decides nothing about them."""

    @property
    def config(self) -> ModelConfig:
        """The model's shape."""
        ...

    @property
    def adapter_names(self) -> tuple[str, ...]:
        """What `Chunk.adapter` may name, in the order in which they were given."""
        ...

    @property
    def num_blocks(self) -> int:
        """How many blocks of keys and values there are."""
        ...

    @property
    def block_size(self) -> int:
        """Positions in a block."""
        ...

    def step(self, batch: Sequence[Chunk]) -> list[ChunkOutput]:
        """One forward pass over all chunks together; writes their keys and values. One output per chunk, in order."""
        ...

    def logits(self, hidden: Floats, ids: Ids | slice | None = None) -> Floats:
        """Logits of tokens `ids` (default all) for hidden states (n, hidden_size): float32 (n, number of ids)."""
        ...


@runtime_checkable
class BlockCopier(Protocol):
    """A runner that can copy blocks of keys and values within its memory."""

    def copy_blocks(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Copy (source, target) blocks, all layers, one pair after the other."""
        ...


@runtime_checkable
class DecodingRunner(Protocol):
    """A runner that can go on by itself where nothing is to be decided between two tokens."""

    def decode(self, batch: Sequence[Chunk], steps: int) -> tuple[list[list[int]], list[list[float]]]:
        """`steps` greedy tokens for each chunk, which has one token, no `among`, and a table for all the positions.

        The same as that many calls of `step` with `pick` greedy: tokens and log probabilities, (chunks, steps); -1 and
        NaN from a token on whose logits are not finite.
        """
        ...


@runtime_checkable
class PausableRunner(Protocol):
    """A runner that can stop in the middle of a forward pass and go on with it later."""

    def begin(self, batch: Sequence[Chunk]) -> None:
        """Begin what `step` does, without computing anything. Only `go_on`, `abandon` and `copy_blocks` may follow."""
        ...

    def go_on(self, seconds: float) -> list[ChunkOutput] | None:
        """Compute for at most `seconds` (infinity: to the end), as far as can be told beforehand.

        What `step` returns once all is done, the same to the bit; None while it is not.
        """
        ...

    def abandon(self) -> None:
        """Give up what was begun, if anything; the blocks of its tokens hold nothing of use. Harmless otherwise."""
        ...
