"""Reference-counted blocks of keys and values. Pure bookkeeping: it knows numbers, not memory.

A block is *used* (referenced), *cached* (unreferenced, its content still registered in the prefix index) or *free*.
Cached blocks are given up only when free ones have run out, least recently used first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable


class BlockPool:
    """`num_blocks` blocks numbered from 0; `on_evict(block)` is called before a cached block's content is given up."""

    def __init__(self, num_blocks: int, on_evict: Callable[[int], None]) -> None:
        self.num_blocks = num_blocks
        self._on_evict = on_evict
        self._references = [0] * num_blocks
        self._registered = [False] * num_blocks
        self._free = list(range(num_blocks - 1, -1, -1))
        self._cached: OrderedDict[int, None] = OrderedDict()

    @property
    def num_free(self) -> int:
        """Blocks without content worth keeping."""
        return len(self._free)

    @property
    def num_cached(self) -> int:
        """Unreferenced blocks whose content may be found again."""
        return len(self._cached)

    @property
    def num_used(self) -> int:
        """Blocks that a request holds."""
        return self.num_blocks - self.num_free - self.num_cached

    @property
    def num_available(self) -> int:
        """How many blocks `allocate` could hand out now."""
        return self.num_free + self.num_cached

    def references(self, block: int) -> int:
        """How many holders `block` has."""
        return self._references[block]

    def allocate(self, count: int) -> list[int] | None:
        """Hand out `count` blocks with one reference each, or None (and change nothing) when there are too few."""
        if count > self.num_available:
            return None
        return [self._take() for _ in range(count)]

    def retain(self, block: int) -> None:
        """Add a reference; a cached block comes back in constant time. Raises ValueError for a free block."""
        if self._references[block] == 0:
            if block not in self._cached:
                raise ValueError(f"block {block} is free; only used and cached blocks can be retained")
            del self._cached[block]
        self._references[block] += 1

    def release(self, block: int) -> None:
        """Drop a reference; the last one makes the block cached or free. Raises ValueError for one nobody holds."""
        if self._references[block] == 0:
            raise ValueError(f"block {block} is not held by anyone")
        self._references[block] -= 1
        if self._references[block] == 0:
            if self._registered[block]:
                self._cached[block] = None
            else:
                self._free.append(block)

    def register(self, block: int) -> None:
        """Note that a used block's content is in the prefix index and worth keeping."""
        self._registered[block] = True

    def _take(self) -> int:
        if self._free:
            block = self._free.pop()
        else:
            block, _ = self._cached.popitem(last=False)
            self._registered[block] = False
            self._on_evict(block)
        self._references[block] = 1
        return block
