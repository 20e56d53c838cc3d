"""What is known of every value before a run: its shape, its element type, and, where small, its constant content."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from premotor_accelerators.dla.errors import ModelUnreadable
from premotor_accelerators.dla.folding import DRAWN, evaluate
from premotor_accelerators.dla.graph import Graph, Node

Shape = tuple[int, ...]
SMALL = 4096
"""Constants of at most so many elements are looked into; of larger ones only the shape counts."""
_ROUNDS = 6


@dataclass
class Facts:
    """By value name. `shapes` lacks what is not known before a run; `constant` holds all known at build time."""

    shapes: dict[str, Shape] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)
    values: dict[str, NDArray[Any]] = field(default_factory=dict)
    constant: set[str] = field(default_factory=set)


def study(model: Any, graph: Graph, folder: Path | None) -> Facts:
    """Infer shapes and fold constants in turn until neither finds more. Raises ModelUnreadable.

    `folder` is where external data lie. Large weights are left out of the work: only their shapes are looked at.
    """
    facts = Facts()
    for name, tensor in graph.weights.items():
        facts.constant.add(name)
        facts.shapes[name] = tuple(tensor.dims)
        if hasattr(tensor, "data_type") and prod(tensor.dims) <= SMALL:
            facts.values[name] = _array(tensor, folder)
    for _ in range(_ROUNDS):
        _infer(model, graph, facts)
        known = len(facts.values)
        _fold(graph, facts)
        if len(facts.values) == known:
            break
    return facts


def _array(tensor: Any, folder: Path | None) -> NDArray[Any]:
    try:
        return np.asarray(numpy_helper.to_array(tensor, str(folder or "")))
    except Exception as error:  # onnx raises whatever numpy raises over wrong lengths
        raise ModelUnreadable(
            f"the weight `{tensor.name}` does not fill its shape ({error}); export it anew"
        ) from error


def _infer(model: Any, graph: Graph, facts: Facts) -> None:
    skeleton = _skeleton(model, graph, facts)
    try:
        inferred = onnx.shape_inference.infer_shapes(skeleton, data_prop=True)
    except Exception as error:  # its errors share no base
        raise ModelUnreadable(f"the shapes do not fit together ({error}); export the model anew") from error
    for value in (*inferred.graph.value_info, *inferred.graph.output, *inferred.graph.input):
        tensor = value.type.tensor_type
        if tensor.elem_type:
            facts.types[value.name] = tensor.elem_type
        if tensor.HasField("shape") and all(dim.HasField("dim_value") for dim in tensor.shape.dim):
            facts.shapes[value.name] = tuple(dim.dim_value for dim in tensor.shape.dim)
    for tensor in inferred.graph.initializer:
        facts.types[tensor.name] = tensor.data_type


def _skeleton(model: Any, graph: Graph, facts: Facts) -> Any:
    """The model with large weights as inputs and folded nodes as initializers: small, whatever the model's size."""
    inputs = [value for value in model.graph.input if value.name not in graph.weights]
    inputs += [
        helper.make_tensor_value_info(name, tensor.data_type, list(tensor.dims))
        for name, tensor in graph.weights.items()
        if name not in facts.values and hasattr(tensor, "data_type")
    ]
    nodes = [node.proto for node in graph.nodes if not all(name in facts.values for name in node.outputs if name)]
    made = {name for proto in nodes for name in proto.output}
    small = [numpy_helper.from_array(v, n) for n, v in facts.values.items() if v.dtype != object and n not in made]
    skeleton = helper.make_graph(nodes, "skeleton", inputs, list(model.graph.output), small)
    known = {entry.domain for entry in model.opset_import}
    undeclared = {proto.domain for proto in nodes} - known - ({""} if "ai.onnx" in known else set())
    imports = [*model.opset_import, *(helper.make_opsetid(domain, 1) for domain in sorted(undeclared))]
    return helper.make_model(skeleton, opset_imports=imports, ir_version=model.ir_version or 8)


def _fold(graph: Graph, facts: Facts) -> None:
    for node in graph.nodes:
        if node.op in DRAWN or node.flaw:
            continue
        sized = node.op in ("Shape", "Size") and node.inputs[0] in facts.shapes
        if sized or all(name in facts.constant for name in node.reads):
            facts.constant.update(filter(None, node.outputs))
            _note_values(node, graph, facts)


def _note_values(node: Node, graph: Graph, facts: Facts) -> None:
    if all(name in facts.values for name in node.outputs if name):
        return
    sizes = [prod(facts.shapes[name]) for name in _known(node.outputs, facts)]
    if len(sizes) < len([name for name in node.outputs if name]) or max(sizes, default=0) > SMALL:
        return
    for name, value in evaluate(node, graph.opset, facts.shapes, facts.values).items():
        facts.values[name] = value
        facts.shapes[name] = value.shape


def _known(names: tuple[str, ...], facts: Facts) -> Iterator[str]:
    return (name for name in names if name in facts.shapes)
