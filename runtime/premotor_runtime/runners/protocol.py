"""What the engine asks of a model runner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.embedding import Ids
from premotor_runtime.models.packed import Floats


@dataclass(frozen=True)
class Chunk:
    """The next tokens of one sequence: `tokens` stand at positions `start`, `start + 1`, …

    `block_table` must cover all positions up to the last; positions before `start` have been computed. `wanted` are the
    indices within `tokens` whose hidden states are handed back.
    """

    tokens: Sequence[int]
    start: int
    block_table: Sequence[int]
    wanted: Sequence[int]


class ModelRunner(Protocol):
    """Runs one model. Holds the paged keys and values, but decides nothing about them."""

    @property
    def config(self) -> ModelConfig:
        """The model's shape."""
        ...

    @property
    def num_blocks(self) -> int:
        """How many blocks of keys and values there are."""
        ...

    @property
    def block_size(self) -> int:
        """Positions in a block."""
        ...

    def step(self, batch: Sequence[Chunk]) -> list[Floats]:
        """One forward pass over all chunks together; writes their keys and values.

        Returns, per chunk, the final hidden states at its wanted positions, float32 (len(wanted), hidden_size).
        """
        ...

    def logits(self, hidden: Floats, ids: Ids | slice | None = None) -> Floats:
        """Logits of tokens `ids` (default all) for hidden states (n, hidden_size): float32 (n, number of ids)."""
        ...
