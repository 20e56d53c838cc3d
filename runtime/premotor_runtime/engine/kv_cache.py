"""The block tables of running requests: pool and prefix index together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from premotor_runtime.engine.block_pool import BlockPool
from premotor_runtime.engine.prefix_index import PrefixIndex, PrefixNode


@dataclass
class BlockTable:
    """The blocks of one request, position order; `chain` holds the nodes of its leading registered blocks."""

    blocks: list[int] = field(default_factory=list)
    chain: list[PrefixNode] = field(default_factory=list)
    chainable: bool = True


class KVCache:
    """Hands blocks to requests and finds prefixes again."""

    def __init__(self, num_blocks: int, block_size: int, salt: str = "") -> None:
        self.block_size = block_size
        self.index = PrefixIndex(block_size, salt)
        self.pool = BlockPool(num_blocks, self.index.remove)

    def open(self, tokens: Sequence[int], limit: int) -> tuple[BlockTable, int]:
        """A table that starts with the known blocks of `tokens[:limit]`, and how many positions they hold."""
        chain = self.index.match(tokens[:limit])
        for node in chain:
            self.pool.retain(node.block)
        return BlockTable([node.block for node in chain], list(chain)), len(chain) * self.block_size

    def grow(self, table: BlockTable, positions: int) -> bool:
        """Make `table` cover `positions` positions; False (and nothing changed) when the pool has too few blocks."""
        missing = -(-positions // self.block_size) - len(table.blocks)
        if missing <= 0:
            return True
        fresh = self.pool.allocate(missing)
        if fresh is None:
            return False
        table.blocks.extend(fresh)
        return True

    def commit(self, table: BlockTable, tokens: Sequence[int], computed: int) -> None:
        """Register the blocks of `table` that are full now that `tokens[:computed]` have been computed."""
        while table.chainable and (len(table.chain) + 1) * self.block_size <= computed:
            number = len(table.chain)
            content = tokens[number * self.block_size : (number + 1) * self.block_size]
            parent = table.chain[-1] if table.chain else None
            node = self.index.insert(parent, content, table.blocks[number])
            if node is None:
                table.chainable = False
                return
            if node.block == table.blocks[number]:
                self.pool.register(node.block)
            table.chain.append(node)

    def close(self, table: BlockTable) -> None:
        """Release every block, last first, so that a chain is evicted from its end."""
        while table.blocks:
            self.pool.release(table.blocks.pop())
        table.chain.clear()
