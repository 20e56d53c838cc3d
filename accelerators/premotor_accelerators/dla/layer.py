"""One node together with all that is known around it: what a rule looks at."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_accelerators.dla.facts import Facts, Shape
from premotor_accelerators.dla.graph import Graph, Node
from premotor_accelerators.dla.target import Target


@dataclass(frozen=True)
class Layer:
    """A node in its graph, for a target."""

    node: Node
    graph: Graph
    facts: Facts
    target: Target

    def has(self, index: int) -> bool:
        """Whether the input is given."""
        return index < len(self.node.inputs) and bool(self.node.inputs[index])

    def shape(self, index: int = 0) -> Shape | None:
        """An input's shape, None where it is left out or unknown."""
        return self.facts.shapes.get(self.node.inputs[index]) if self.has(index) else None

    @property
    def out(self) -> Shape | None:
        """The first output's shape."""
        return self.facts.shapes.get(self.node.outputs[0])

    def is_constant(self, index: int) -> bool:
        """Whether the input is known at build time."""
        return self.has(index) and self.node.inputs[index] in self.facts.constant

    def value(self, index: int) -> NDArray[Any] | None:
        """A small constant input's content."""
        return self.facts.values.get(self.node.inputs[index]) if self.has(index) else None

    def scalar(self, index: int) -> float | None:
        """A constant input of one element."""
        value = self.value(index)
        return float(value.reshape(-1)[0]) if value is not None and value.size == 1 else None

    def numbers(self, index: int, attribute: str) -> tuple[int, ...] | None:
        """Whole numbers given as a constant input, or, in older opsets, as an attribute; None where neither is."""
        value = self.value(index)
        if value is not None:
            return tuple(int(v) for v in np.ravel(value))
        given = self.node.attribute(attribute)
        return tuple(int(v) for v in given) if given is not None else None

    @property
    def data_inputs(self) -> tuple[str, ...]:
        """Inputs that flow at run time."""
        return tuple(name for name in self.node.reads if name not in self.facts.constant)

    @property
    def is_folded(self) -> bool:
        """Whether all of its outputs are known at build time."""
        return all(name in self.facts.constant for name in self.node.outputs if name)

    @property
    def is_needed(self) -> bool:
        """Whether any output of the graph depends on it."""
        return self.node.name in self.graph.needed

    def elements(self, name: str) -> int:
        """How many elements a value has; 0 where unknown."""
        shape = self.facts.shapes.get(name)
        return prod(shape) if shape is not None else 0
