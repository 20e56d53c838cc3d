"""A named part of the graph: its nodes, values and constants are called `part/name`, so that viewers group them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from premotor_planners.kernels.onnx_graph import GraphWriter


class Stage:
    """Writes into one graph under one name."""

    def __init__(self, graph: GraphWriter, name: str) -> None:
        self._graph = graph
        self._name = name

    def inner(self, name: str) -> Stage:
        """A part of this part."""
        return Stage(self._graph, f"{self._name}/{name}")

    def constant(self, name: str, value: ArrayLike, dtype: type[np.generic] = np.float32) -> str:
        """As `GraphWriter.constant`."""
        return self._graph.constant(f"{self._name}/{name}", value, dtype)

    def integers(self, name: str, *values: int) -> str:
        """A constant list of int64: axes, shapes."""
        return self.constant(name, list(values), np.int64)

    def op(self, kind: str, inputs: Sequence[str], name: str, **attributes: Any) -> str:
        """As `GraphWriter.op`."""
        return self._graph.op(kind, inputs, f"{self._name}/{name}", **attributes)

    def result(self, kind: str, inputs: Sequence[str], name: str, **attributes: Any) -> None:
        """A node whose value is the graph's output `name`."""
        self._graph.op(kind, inputs, f"{self._name}/{name}", output=name, **attributes)

    def split(self, value: str, names: Sequence[str], axis: int, name: str) -> tuple[str, ...]:
        """As `GraphWriter.split`, by a node called `name`."""
        return self._graph.split(value, [f"{self._name}/{each}" for each in names], axis, f"{self._name}/{name}")

    def row(self, value: str, axis: int, name: str) -> str:
        """`value` without its axis of size 1."""
        return self.op("Squeeze", [value, self.integers(f"axis_{axis}", axis)], name)
