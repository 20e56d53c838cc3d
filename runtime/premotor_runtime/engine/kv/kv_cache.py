"""The block tables of running requests: pool and prefix index together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from premotor_runtime.engine.kv.block_pool import BlockPool
from premotor_runtime.engine.kv.prefix_index import PrefixIndex, PrefixNode


@dataclass
class BlockTable:
    """The blocks of one request, position order; `chain` holds the nodes of its leading registered blocks.

    `forked` while its last block may be shared though it is not full.
    """

    blocks: list[int] = field(default_factory=list)
    chain: list[PrefixNode] = field(default_factory=list)
    chainable: bool = True
    salt: str = ""
    forked: bool = False


class KVCache:
    """Hands blocks to requests and finds prefixes again.

    `copies` lists (source, target) blocks whose contents must be copied, in this order, before anything is written.
    """

    def __init__(self, num_blocks: int, block_size: int, salt: str = "") -> None:
        self.block_size = block_size
        self.index = PrefixIndex(block_size, salt)
        self.pool = BlockPool(num_blocks, self.index.remove)
        self.copies: list[tuple[int, int]] = []

    def open(self, tokens: Sequence[int], limit: int, salt: str = "") -> tuple[BlockTable, int]:
        """A table that starts with the known blocks of `tokens[:limit]`, and how many positions they hold."""
        chain = self.index.match(tokens, limit, salt)
        for node in chain:
            self.pool.retain(node.block)
        return BlockTable([node.block for node in chain], chain, salt=salt), len(chain) * self.block_size

    def adopt(self, table: BlockTable, tokens: Sequence[int], computed: int, limit: int) -> int:
        """Take over blocks that others have computed meanwhile; returns the new count of computed positions.

        Nothing happens unless `table` ends at `computed`, the end of a registered block.
        """
        size = self.block_size
        if len(table.blocks) * size != computed or len(table.chain) * size != computed:
            return computed
        while computed + size <= limit:
            parent = table.chain[-1] if table.chain else None
            node = self.index.find(parent, tokens[computed : computed + size], table.salt)
            if node is None:
                break
            self._hold(table, node)
            computed += size
        return computed

    def blocks_for(self, positions: int) -> int:
        """How many blocks `positions` positions take."""
        return -(-positions // self.block_size)

    def grow(self, table: BlockTable, start: int, stop: int) -> bool:
        """Make `table` cover `stop` positions, those from `start` on to be written.

        A block that others hold too is replaced by a copy (see `copies`). False, with nothing changed, when the pool
        has too few blocks.
        """
        missing = self.blocks_for(stop) - len(table.blocks)
        if missing <= 0 and not table.forked:
            return True
        written = range(start // self.block_size, len(table.blocks)) if table.forked else ()
        shared = [number for number in written if self.pool.references(table.blocks[number]) > 1]
        fresh = self.pool.allocate(max(0, missing) + len(shared))
        if fresh is None:
            return False
        for number in shared:
            source, table.blocks[number] = table.blocks[number], fresh.pop()
            self.copies.append((source, table.blocks[number]))
            self.pool.release(source)
        table.blocks.extend(fresh)
        table.forked = False
        return True

    def commit(self, table: BlockTable, tokens: Sequence[int], computed: int) -> None:
        """Register the blocks of `table` that are full now that `tokens[:computed]` have been computed.

        A block whose content is registered already is given back, and the registered one held in its place.
        """
        size = self.block_size
        while table.chainable and (len(table.chain) + 1) * size <= computed:
            number = len(table.chain)
            parent = table.chain[-1] if table.chain else None
            own = table.blocks[number]
            node = self.index.insert(parent, tokens[number * size : (number + 1) * size], own, table.salt)
            if node is None:
                table.chainable = False
            elif node.block == own:
                self.pool.register(own)
                table.chain.append(node)
            else:
                self.pool.retain(node.block)
                self.pool.release(own)
                table.blocks[number] = node.block
                table.chain.append(node)

    def fork(self, table: BlockTable, positions: int) -> BlockTable:
        """A second table that shares the blocks of the first `positions` positions."""
        blocks = table.blocks[: self.blocks_for(positions)]
        for block in blocks:
            self.pool.retain(block)
        chain = table.chain[: positions // self.block_size]
        table.forked = True
        return BlockTable(blocks, chain, table.chainable, table.salt, forked=True)

    def close(self, table: BlockTable) -> None:
        """Release every block, last first, so that a chain is evicted from its end."""
        while table.blocks:
            self.pool.release(table.blocks.pop())
        table.chain.clear()

    def _hold(self, table: BlockTable, node: PrefixNode) -> None:
        self.pool.retain(node.block)
        table.blocks.append(node.block)
        table.chain.append(node)
