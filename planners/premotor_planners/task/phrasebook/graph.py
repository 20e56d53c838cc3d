"""All phrasings as one graph of words and slots, walked as if each state knew everything that may follow.

A phrasing with many alternatives stays as small as it is written: states are merged only where a sentence goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar

from premotor_planners.task.phrasebook.notation import Either, Sequence


@dataclass(frozen=True)
class Leaf:
    """A phrasing ends here."""

    intent: str
    imperative: bool
    first_person: bool
    both: bool = False


EndT = TypeVar("EndT")
"""What is known where a phrase ends."""


@dataclass
class Graph(Generic[EndT]):
    """`edges[s]` are (word or slot, next state); an empty word is passed for free. State 0 is the beginning."""

    edges: list[list[tuple[str, int]]] = field(default_factory=lambda: [[]])
    ends: dict[int, list[EndT]] = field(default_factory=dict)
    nodes: dict[frozenset[int], Node[EndT]] = field(default_factory=dict)

    def add(self, pieces: Sequence, leaf: EndT) -> None:
        """One more phrasing."""
        end = self._extend(0, pieces)
        if leaf not in self.ends.setdefault(end, []):
            self.ends[end].append(leaf)

    def root(self) -> Node[EndT]:
        """The node before the first word."""
        return self.node((0,))

    def node(self, states: Iterable[int]) -> Node[EndT]:
        """The node of a set of states and all that are reached for free."""
        found, todo = set(states), list(states)
        while todo:
            for word, after in self.edges[todo.pop()]:
                if not word and after not in found:
                    found.add(after)
                    todo.append(after)
        key = frozenset(found)
        return self.nodes.setdefault(key, Node(self, key))

    def words(self) -> frozenset[str]:
        """Every word, slots left out."""
        return frozenset(word for edges in self.edges for word, _ in edges if word and not word.startswith("{"))

    def _extend(self, state: int, pieces: Sequence) -> int:
        for piece in pieces:
            if isinstance(piece, Either):
                after = self._new()
                for option in piece.options:
                    self.edges[self._extend(state, option)].append(("", after))
            else:
                after = self._new()
                self.edges[state].append((piece, after))
            state = after
        return state

    def _new(self) -> int:
        self.edges.append([])
        return len(self.edges) - 1


@dataclass(eq=False)
class Node(Generic[EndT]):
    """A place in the graph: the words and slots that may follow, and the phrasings that end here."""

    graph: Graph[EndT]
    states: frozenset[int]

    @cached_property
    def words(self) -> dict[str, Node[EndT]]:
        """The node after each word that may follow."""
        return {word: node for word, node in self._following.items() if not word.startswith("{")}

    @cached_property
    def slots(self) -> dict[str, Node[EndT]]:
        """The node after each slot that may follow."""
        return {slot: node for slot, node in self._following.items() if slot.startswith("{")}

    @cached_property
    def leaves(self) -> tuple[EndT, ...]:
        """What may end here."""
        return tuple(dict.fromkeys(leaf for state in sorted(self.states) for leaf in self.graph.ends.get(state, ())))

    @cached_property
    def _following(self) -> dict[str, Node[EndT]]:
        found: dict[str, list[int]] = {}
        for state in sorted(self.states):
            for word, after in self.graph.edges[state]:
                if word:
                    found.setdefault(word, []).append(after)
        return {word: self.graph.node(after) for word, after in found.items()}

    def walk(self, words: tuple[str, ...], start: int) -> Iterator[tuple[int, EndT]]:
        """Where phrases that begin at `start` end (the word after the last), and what is known there."""
        node: Node[EndT] | None = self
        index = start
        while node is not None:
            for end in node.leaves:
                yield index, end
            node, index = (node.words.get(words[index]) if index < len(words) else None), index + 1
