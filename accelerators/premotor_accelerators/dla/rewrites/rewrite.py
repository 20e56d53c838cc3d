"""What a rewrite is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from premotor_accelerators.dla.graph import Node
from premotor_accelerators.dla.rewrites.editing import Editor


@dataclass(frozen=True)
class Match:
    """A place where a rewrite fits: its node, and the change, which is made once, before the editor is refreshed."""

    node: Node
    change: Callable[[], None]


@dataclass(frozen=True)
class Rewrite:
    """One kind of change that leaves every result as it was, up to rounding."""

    name: str
    find: Callable[[Editor], Iterator[Match]]

    def apply(self, editor: Editor) -> tuple[str, ...]:
        """Change every place, and those that come up by that; the names of the nodes that were replaced."""
        names = []
        while matches := list(self.find(editor)):
            for match in matches:
                match.change()
                names.append(match.node.name)
            editor.refresh()
        return tuple(names)
