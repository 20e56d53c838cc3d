"""Where in a world file something stands, so that a message can name the line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml


class SourceLines:
    """Line numbers (from 1) of the values of one YAML text that has already been read once without errors."""

    def __init__(self, text: str) -> None:
        self._root: Any = yaml.compose(text, Loader=yaml.SafeLoader)

    def of(self, *path: str | int) -> int:
        """The line of the value at `path` (keys and list positions); of its deepest part that exists."""
        node = self._root
        for step in path:
            below = _child(node, step)
            if below is None:
                break
            node = below
        return int(node.start_mark.line) + 1


def _child(node: Any, step: str | int) -> Any:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        return node.value[step] if step < len(node.value) else None
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in _pairs(node) if key == step), None)
    return None


def _pairs(node: Any) -> Iterator[tuple[str, Any]]:
    for key, value in node.value:
        yield str(key.value), value
