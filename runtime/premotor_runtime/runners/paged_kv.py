"""Keys and values of every layer in fixed-size blocks, addressed through a sequence's block table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.packed import Floats

Slots = npt.NDArray[np.int64]


class PagedKV:
    """float32 arrays (layers, blocks * block_size, kv_heads, head_dim); position p of a sequence lies in the slot
    `block_table[p // block_size] * block_size + p % block_size`.
    """

    def __init__(self, config: ModelConfig, num_blocks: int, block_size: int) -> None:
        shape = (config.num_hidden_layers, num_blocks * block_size, config.num_key_value_heads, config.head_dim)
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.keys: Floats = np.zeros(shape, np.float32)
        self.values: Floats = np.zeros(shape, np.float32)

    @staticmethod
    def block_bytes(config: ModelConfig, block_size: int) -> int:
        """Memory of one block: 2 x layers x kv heads x head size x positions x 4 bytes."""
        return 2 * config.num_hidden_layers * config.kv_size * block_size * 4

    def copy_block(self, source: int, target: int) -> None:
        """Copy one block, all layers."""
        here, there = (slice(n * self.block_size, (n + 1) * self.block_size) for n in (source, target))
        self.keys[:, there], self.values[:, there] = self.keys[:, here], self.values[:, here]

    def slots(self, block_table: Sequence[int], start: int, stop: int) -> Slots:
        """The slots of positions [start, stop). Raises IndexError when the block table is too short."""
        positions = np.arange(start, stop)
        blocks = np.asarray(block_table, np.int64)[positions // self.block_size]
        slots: Slots = blocks * self.block_size + positions % self.block_size
        return slots
