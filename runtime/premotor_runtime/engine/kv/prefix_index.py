"""Which block holds the keys and values of which prefix: full blocks, by a chained hash, confirmed by comparison.

A block's key is the hash of its parent's key and its own tokens. A hash alone would let a collision hand one prompt's
memory to another, so a hit also needs equal tokens, the same salt and the very parent node that was matched before it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

Hasher = Callable[[Hashable], int]


@dataclass(frozen=True, eq=False)
class PrefixNode:
    """One full block in the index. Nodes are compared by identity: equal contents may stand in different chains."""

    key: int
    parent: PrefixNode | None
    tokens: tuple[int, ...]
    block: int
    salt: str


class PrefixIndex:
    """`block_size` tokens a block; `salt` keeps models apart, and each call's `salt` tenants.

    `changes` counts what was added or removed, so that a search need not be repeated while it stands still.
    """

    def __init__(self, block_size: int, salt: str = "", hasher: Hasher = hash) -> None:
        self.block_size = block_size
        self.changes = 0
        self._hasher = hasher
        self._salt = salt
        self._by_key: dict[int, PrefixNode] = {}
        self._by_block: dict[int, PrefixNode] = {}

    def __len__(self) -> int:
        return len(self._by_block)

    def match(self, tokens: Sequence[int], limit: int | None = None, salt: str = "") -> list[PrefixNode]:
        """The longest known chain of full blocks that `tokens[:limit]` starts with, first block first."""
        stop = len(tokens) if limit is None else min(limit, len(tokens))
        chain: list[PrefixNode] = []
        parent: PrefixNode | None = None
        for start in range(0, stop - self.block_size + 1, self.block_size):
            parent = self.find(parent, tokens[start : start + self.block_size], salt)
            if parent is None:
                break
            chain.append(parent)
        return chain

    def find(self, parent: PrefixNode | None, tokens: Sequence[int], salt: str = "") -> PrefixNode | None:
        """The node of a full block of `tokens` that follows `parent` (None: at the start), or None."""
        return self._confirmed(self._key(parent, tuple(tokens), salt), parent, tuple(tokens), salt)

    def insert(self, parent: PrefixNode | None, tokens: Sequence[int], block: int, salt: str = "") -> PrefixNode | None:
        """Register a computed block under `parent`.

        Returns the node for these tokens: a new one for `block`, or the one that is there already (compare `block`).
        None when another prefix occupies the key, or when `parent` has been evicted; `block` then stays out.
        """
        if parent is not None and self._by_block.get(parent.block) is not parent:
            return None
        content = tuple(tokens)
        key = self._key(parent, content, salt)
        if key in self._by_key:
            return self._confirmed(key, parent, content, salt)
        node = PrefixNode(key, parent, content, block, salt)
        self._by_key[key] = self._by_block[block] = node
        self.changes += 1
        return node

    def remove(self, block: int) -> None:
        """Forget `block`; unknown blocks are ignored."""
        node = self._by_block.pop(block, None)
        if node is not None:
            del self._by_key[node.key]
            self.changes += 1

    def _key(self, parent: PrefixNode | None, tokens: tuple[int, ...], salt: str) -> int:
        return self._hasher((self._salt, salt, tokens) if parent is None else (parent.key, tokens))

    def _confirmed(self, key: int, parent: PrefixNode | None, tokens: tuple[int, ...], salt: str) -> PrefixNode | None:
        node = self._by_key.get(key)
        if node is None or node.parent is not parent or node.tokens != tokens or node.salt != salt:
            return None
        return node
