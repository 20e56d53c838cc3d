"""A graph being changed, with what is known of its values kept true."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from onnx import helper, numpy_helper

from premotor_accelerators.dla.facts import study
from premotor_accelerators.dla.graph import Graph, Node, build_graph, read_graph, read_node


class Editor:
    """Nodes and weights of a model, to be looked at and replaced; the model itself stays as it is until `finish`."""

    def __init__(self, model: Any, folder: Path | None = None) -> None:
        self._model = model
        self._folder = folder
        self.graph = read_graph(model)
        facts = study(model, self.graph, folder)
        self._shapes, self._types, self._values = facts.shapes, facts.types, facts.values
        self._weights = dict(self.graph.weights)
        self._replaced: dict[str, list[Node]] = {}
        self._taken = {*self._shapes, *self._types, *self.graph.makers, *self.graph.inputs}

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes that are as their operator is defined, in order."""
        return tuple(node for node in self.graph.nodes if not node.flaw)

    def shape(self, name: str) -> tuple[int, ...] | None:
        """A value's shape."""
        return self._shapes.get(name)

    def is_stored(self, name: str) -> bool:
        """Whether `array` can give it."""
        return name in self._values or hasattr(self._weights.get(name), "data_type")

    def array(self, name: str) -> NDArray[Any]:
        """A stored constant's content."""
        if name in self._values:
            return self._values[name]
        return np.asarray(numpy_helper.to_array(self._weights[name], str(self._folder or "")))

    def numbers(self, node: Node, index: int, attribute: str) -> tuple[int, ...] | None:
        """Whole numbers from a constant input or, in older opsets, an attribute."""
        if index < len(node.inputs) and node.inputs[index]:
            value = self._values.get(node.inputs[index])
            return None if value is None else tuple(int(v) for v in np.ravel(value))
        given = node.attribute(attribute)
        return None if given is None else tuple(given)

    def maker(self, name: str) -> Node | None:
        """The node that makes a value."""
        index = self.graph.makers.get(name)
        return None if index is None else self.graph.nodes[index]

    def only_reader(self, name: str) -> Node | None:
        """The one node that reads a value which is no output of the graph; None if there are others."""
        readers = self.graph.readers.get(name, [])
        return self.graph.nodes[readers[0]] if len(readers) == 1 and name not in self.graph.outputs else None

    def is_float(self, name: str) -> bool:
        """Whether the value's type is known and a floating one that numpy has."""
        return name in self._types and np.issubdtype(self._dtype(name), np.floating)

    def value(self, name: str, shape: Sequence[int], like: str) -> str:
        """A name for a new value of this shape, and of the type of another one."""
        name = self._fresh(name)
        self._shapes[name], self._types[name] = tuple(shape), self._types[like]
        return name

    def constant(self, name: str, content: ArrayLike, like: str) -> str:
        """A new initializer of the type of another value."""
        return self.store(name, np.asarray(content).astype(self._dtype(like)))

    def store(self, name: str, content: NDArray[Any]) -> str:
        """A new initializer as it is."""
        name = self._fresh(name)
        self._weights[name] = numpy_helper.from_array(content, name)
        self._shapes[name], self._types[name] = content.shape, self._weights[name].data_type
        self._values[name] = content
        return name

    def replace(self, old: Node, new: Sequence[Any]) -> None:
        """Put nodes in the place of one, which must make its outputs again; seen after the next `refresh`."""
        self._replaced[old.name] = [read_node(proto, self.graph.opset) for proto in new]

    def refresh(self) -> None:
        """Carry out the replacements, and leave out what nothing reads any more."""
        nodes = [new for node in self.graph.nodes for new in self._replaced.get(node.name, [node])]
        self._replaced = {}
        graph = self._build(nodes)
        self.graph = self._build([node for node in graph.nodes if node.name in graph.needed])

    def finish(self) -> Any:
        """The changed model; the one that was given is left alone."""
        changed = type(self._model)()
        changed.CopyFrom(self._model)
        for field in ("node", "initializer", "value_info"):
            changed.graph.ClearField(field)
        changed.graph.node.extend(node.proto for node in self.graph.nodes)
        read = {*self.graph.readers, *self.graph.outputs}
        changed.graph.initializer.extend(
            tensor for name, tensor in self._weights.items() if name in read and hasattr(tensor, "data_type")
        )
        kept = [value for value in changed.graph.input if value.name not in self._weights or value.name in read]
        changed.graph.ClearField("input")
        changed.graph.input.extend(kept)
        return changed

    def _build(self, nodes: Sequence[Node]) -> Graph:
        return build_graph(nodes, self.graph.inputs, self.graph.outputs, self._weights, self.graph.opset)

    def _dtype(self, name: str) -> np.dtype[Any]:
        dtype: np.dtype[Any] = np.dtype(helper.tensor_dtype_to_np_dtype(self._types[name]))
        return dtype

    def _fresh(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name
