"""Which block holds the keys and values of which prefix: full blocks, by a chained hash, confirmed by comparison.

A block's key is the hash of its parent's key and its own tokens. A hash alone would let a collision hand one prompt's
memory to another, so a hit also needs equal tokens and the very parent node that was matched before it.
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


class PrefixIndex:
    """`block_size` tokens a block; `salt` keeps prefixes of different models or adapters apart."""

    def __init__(self, block_size: int, salt: str = "", hasher: Hasher = hash) -> None:
        self.block_size = block_size
        self._hasher = hasher
        self._root_key = hasher(("root", salt))
        self._by_key: dict[int, PrefixNode] = {}
        self._by_block: dict[int, PrefixNode] = {}

    def __len__(self) -> int:
        return len(self._by_block)

    def match(self, tokens: Sequence[int]) -> list[PrefixNode]:
        """The longest known chain of full blocks that `tokens` starts with, first block first."""
        chain: list[PrefixNode] = []
        for start in range(0, len(tokens) - self.block_size + 1, self.block_size):
            parent = chain[-1] if chain else None
            node = self._find(parent, tuple(tokens[start : start + self.block_size]))
            if node is None:
                break
            chain.append(node)
        return chain

    def insert(self, parent: PrefixNode | None, tokens: Sequence[int], block: int) -> PrefixNode | None:
        """Register a computed block under `parent`.

        Returns the node for these tokens: a new one for `block`, or the one that is there already (compare `block`).
        None when another prefix occupies the key, or when `parent` has been evicted; `block` then stays out.
        """
        content = tuple(tokens)
        if parent is not None and self._by_block.get(parent.block) is not parent:
            return None
        found = self._find(parent, content)
        key = self._key(parent, content)
        if found is not None or key in self._by_key:
            return found
        node = PrefixNode(key, parent, content, block)
        self._by_key[key] = self._by_block[block] = node
        return node

    def remove(self, block: int) -> None:
        """Forget `block`; unknown blocks are ignored."""
        node = self._by_block.pop(block, None)
        if node is not None:
            del self._by_key[node.key]

    def _key(self, parent: PrefixNode | None, tokens: tuple[int, ...]) -> int:
        return self._hasher((self._root_key if parent is None else parent.key, tokens))

    def _find(self, parent: PrefixNode | None, tokens: tuple[int, ...]) -> PrefixNode | None:
        node = self._by_key.get(self._key(parent, tokens))
        if node is None or node.parent is not parent or node.tokens != tokens:
            return None
        return node
