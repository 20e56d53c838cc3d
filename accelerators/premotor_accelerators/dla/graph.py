"""An ONNX graph as nodes in an order in which each comes after what it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import onnx
from onnx import AttributeProto, defs, helper

from premotor_accelerators.dla.errors import ModelUnreadable

_DEFAULT_DOMAINS = ("", "ai.onnx")
_BODIES = (AttributeProto.GRAPH, AttributeProto.GRAPHS)


@dataclass(frozen=True)
class Node:
    """One node. `inputs` holds "" for an input left out; `captured` are outer values that its bodies read.

    `flaw` says in what it breaks its operator's definition; "" where it does not.
    """

    name: str
    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    captured: tuple[str, ...]
    proto: Any
    flaw: str = ""

    @property
    def reads(self) -> tuple[str, ...]:
        """Every value that must exist before this node runs."""
        return tuple(name for name in (*self.inputs, *self.captured) if name)

    def attribute(self, name: str, default: Any = None) -> Any:
        """The attribute's value, as Python; text is decoded."""
        for attribute in self.proto.attribute:
            if attribute.name == name:
                value = helper.get_attribute_value(attribute)
                return value.decode(errors="replace") if isinstance(value, bytes) else value
        return default


@dataclass(frozen=True)
class Graph:
    """Nodes in order, and what flows in and out; `weights` are the initializers by name."""

    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    weights: Mapping[str, Any]
    opset: int

    @cached_property
    def readers(self) -> dict[str, list[int]]:
        """For each value the indices of the nodes that read it, each once."""
        found: dict[str, list[int]] = {}
        for index, node in enumerate(self.nodes):
            for name in dict.fromkeys(node.reads):
                found.setdefault(name, []).append(index)
        return found

    @cached_property
    def makers(self) -> dict[str, int]:
        """For each value that a node makes the index of that node."""
        return {name: index for index, node in enumerate(self.nodes) for name in node.outputs if name}

    @cached_property
    def needed(self) -> frozenset[str]:
        """The names of the nodes that any output depends on."""
        values = set(self.outputs)
        names = []
        for node in reversed(self.nodes):
            if values & set(node.outputs):
                values.update(node.reads)
                names.append(node.name)
        return frozenset(names)


def read_graph(model: Any) -> Graph:
    """The graph of a ModelProto. Raises ModelUnreadable for values never made, made twice, or in a circle."""
    graph = model.graph
    _check_names(graph)
    weights = {tensor.name: tensor for tensor in graph.initializer}
    weights.update({sparse.values.name: sparse for sparse in graph.sparse_initializer})
    inputs = tuple(value.name for value in graph.input if value.name not in weights)
    opset = max((entry.version for entry in model.opset_import if entry.domain in _DEFAULT_DOMAINS), default=1)
    nodes = [read_node(proto, opset) for proto in graph.node]
    return build_graph(nodes, inputs, tuple(value.name for value in graph.output), weights, opset)


def _check_names(graph: Any) -> None:
    """Protobuf hands out what is not UTF-8 as bytes."""
    values = [*graph.input, *graph.output, *graph.initializer]
    texts = [value.name for value in values] + [attribute.name for node in graph.node for attribute in node.attribute]
    for node in graph.node:
        texts += [node.name, node.op_type, node.domain, *node.input, *node.output]
    if not all(isinstance(text, str) for text in texts):
        raise ModelUnreadable("a name in the graph is not text; copy or export the model again")


def build_graph(
    nodes: Sequence[Node], inputs: tuple[str, ...], outputs: tuple[str, ...], weights: Mapping[str, Any], opset: int
) -> Graph:
    """As `read_graph`, from the parts of a model."""
    return Graph(_in_order(_named(nodes), {*inputs, *weights}), inputs, outputs, weights, opset)


def read_node(proto: Any, opset: int) -> Node:
    """A NodeProto as a node, held against its operator's definition at that opset."""
    own = proto.domain in _DEFAULT_DOMAINS
    op = proto.op_type if own else f"{proto.domain}.{proto.op_type}"
    flaw = _flaw(proto, opset) if own else ""
    return Node(proto.name, op, tuple(proto.input), tuple(proto.output), _captured(proto), proto, flaw)


def _flaw(proto: Any, opset: int) -> str:
    if not defs.has(proto.op_type) or any(attribute.type in _BODIES for attribute in proto.attribute):
        return ""
    try:
        onnx.checker.check_node(proto, _context(min(opset, defs.onnx_opset_version())))
    except Exception as error:  # the checker's error, or one over what is not even text
        return str(error).splitlines()[0] if str(error) else type(error).__name__
    return ""


@cache
def _context(opset: int) -> Any:
    context = onnx.checker.C.CheckerContext()
    context.ir_version, context.opset_imports = onnx.IR_VERSION, {"": opset}
    return context


def _captured(proto: Any) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for attribute in proto.attribute:
        if attribute.type not in _BODIES:
            continue
        bodies = [attribute.g] if attribute.type == AttributeProto.GRAPH else list(attribute.graphs)
        for body in bodies:
            made = {value.name for value in body.input} | {tensor.name for tensor in body.initializer}
            for inner in body.node:
                made.update(inner.output)
            for inner in body.node:
                found.update(dict.fromkeys(n for n in (*inner.input, *_captured(inner)) if n and n not in made))
            found.update(dict.fromkeys(value.name for value in body.output if value.name not in made))
    return tuple(found)


def _named(nodes: Sequence[Node]) -> list[Node]:
    """Names that are there once; a node without one is called after its operator and place."""
    seen: set[str] = set()
    named = []
    for index, node in enumerate(nodes):
        name = node.name or f"{node.op}_{index}"
        name = name if name not in seen else f"{name}#{index}"
        seen.add(name)
        named.append(Node(name, node.op, node.inputs, node.outputs, node.captured, node.proto, node.flaw))
    return named


def _in_order(nodes: Sequence[Node], given: set[str]) -> tuple[Node, ...]:
    made: dict[str, int] = {}
    for index, node in enumerate(nodes):
        for name in filter(None, node.outputs):
            if name in made or name in given:
                raise ModelUnreadable(
                    f"the value `{name}` is made twice, again by `{node.name}`; export the model anew"
                )
            made[name] = index
    waits = [_makers(node, made, given) for node in nodes]
    after: list[list[int]] = [[] for _ in nodes]
    for index, makers in enumerate(waits):
        for maker in makers:
            after[maker].append(index)
    return _kahn(nodes, [len(makers) for makers in waits], after)


def _makers(node: Node, made: Mapping[str, int], given: set[str]) -> set[int]:
    unknown = [name for name in node.reads if name not in made and name not in given]
    if unknown:
        raise ModelUnreadable(f"`{node.name}` reads `{unknown[0]}`, which nothing makes; export the model anew")
    return {made[name] for name in node.reads if name in made}


def _kahn(nodes: Sequence[Node], missing: list[int], after: Sequence[Sequence[int]]) -> tuple[Node, ...]:
    from heapq import heapify, heappop, heappush

    ready = [index for index, count in enumerate(missing) if count == 0]
    heapify(ready)
    ordered = []
    while ready:
        index = heappop(ready)
        ordered.append(nodes[index])
        for later in after[index]:
            missing[later] -= 1
            if missing[later] == 0:
                heappush(ready, later)
    if len(ordered) < len(nodes):
        stuck = next(nodes[index].name for index, count in enumerate(missing) if count > 0)
        raise ModelUnreadable(f"the graph runs in a circle through `{stuck}`; export the model anew")
    return tuple(ordered)
