"""A float32 graph in half precision, and one that rounds as it would."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from onnx import TensorProto, helper, numpy_helper, shape_inference

_FLOAT, _HALF = TensorProto.FLOAT, TensorProto.FLOAT16
_STAYS_FLOAT = {"Resize": (1, 2)}
"""Inputs that the operator wants in float32 whatever the data is: region and scales."""


def to_half(model: Any, edges: Literal["float", "half"]) -> Any:
    """A copy of `model` that computes in float16.

    `edges` is the type of the graph's inputs and outputs: `float` casts right behind and before them, `half` makes
    them float16 themselves, as a DLA core wants them.
    """
    graph = _copy(model)
    stays = _inputs_that_stay(graph.graph)
    for tensor in graph.graph.initializer:
        if tensor.data_type == _FLOAT and tensor.name not in stays:
            tensor.CopyFrom(_half(tensor))
    for node in graph.graph.node:
        _convert_attributes(node)
    del graph.graph.value_info[:]
    _convert_edges(graph.graph, edges)
    return graph


def rounded_to_half(model: Any) -> Any:
    """A float32 copy of `model` whose inputs, constants and results are rounded to float16, each with a pair of casts.

    This is what float16 arithmetic with wide accumulation gives, on any runtime: ONNX Runtime's CPU provider computes
    a float16 graph in float32 and leaves the rounding out.
    """
    made = _copy(model)
    graph = made.graph
    floats, stays = _float_values(model), _inputs_that_stay(graph)
    for tensor in graph.initializer:
        if tensor.data_type == _FLOAT and tensor.name not in stays:
            values = numpy_helper.to_array(tensor).astype(np.float16).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    ordered: list[Any] = []
    constants = {tensor.name for tensor in graph.initializer}
    sources = [value.name for value in graph.input if value.name not in constants and _is_float(value)]
    renamed = {name: f"{name}_rounded" for name in sources}
    for name in sources:
        ordered += _round(name, renamed[name])
    for node in graph.node:
        node.input[:] = [renamed.get(name, name) for name in node.input]
        rounded = [name for name in node.output if name in floats]
        node.output[:] = [f"{name}_exact" if name in rounded else name for name in node.output]
        ordered.append(node)
        for name in rounded:
            ordered += _round(f"{name}_exact", name)
    del graph.node[:]
    del graph.value_info[:]
    graph.node.extend(ordered)
    return made


def _round(source: str, target: str) -> list[Any]:
    half = f"{target}_as_half"
    return [
        helper.make_node("Cast", [source], [half], name=f"{target}_down", to=_HALF),
        helper.make_node("Cast", [half], [target], name=f"{target}_up", to=_FLOAT),
    ]


def _float_values(model: Any) -> set[str]:
    inferred = shape_inference.infer_shapes(model).graph
    return {value.name for value in (*inferred.value_info, *inferred.output) if _is_float(value)}


def _copy(model: Any) -> Any:
    made = type(model)()
    made.CopyFrom(model)
    return made


def _half(tensor: Any) -> Any:
    return numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float16), tensor.name)


def _inputs_that_stay(graph: Any) -> set[str]:
    return {
        node.input[i]
        for node in graph.node
        for i in _STAYS_FLOAT.get(node.op_type, ())
        if i < len(node.input) and node.input[i]
    }


def _convert_attributes(node: Any) -> None:
    for attribute in node.attribute:
        if attribute.name == "to" and node.op_type == "Cast" and attribute.i == _FLOAT:
            attribute.i = _HALF
        elif attribute.HasField("t") and attribute.t.data_type == _FLOAT:
            attribute.t.CopyFrom(_half(attribute.t))


def _convert_edges(graph: Any, edges: Literal["float", "half"]) -> None:
    constants = {tensor.name for tensor in graph.initializer}
    inputs = [value for value in graph.input if value.name not in constants and _is_float(value)]
    outputs = [value for value in graph.output if _is_float(value)]
    if edges == "half":
        for value in [*inputs, *outputs]:
            value.type.tensor_type.elem_type = _HALF
        return
    behind = {value.name: f"{value.name}_half" for value in inputs}
    before = {value.name: f"{value.name}_half" for value in outputs}
    for node in graph.node:
        node.input[:] = [behind.get(name, before.get(name, name)) for name in node.input]
        node.output[:] = [before.get(name, name) for name in node.output]
    for i, (name, half) in enumerate(behind.items()):
        graph.node.insert(i, helper.make_node("Cast", [name], [half], name=f"{name}_to_half", to=_HALF))
    for name, half in before.items():
        graph.node.append(helper.make_node("Cast", [half], [name], name=f"{name}_to_float", to=_FLOAT))


def _is_float(value: Any) -> bool:
    return bool(value.type.tensor_type.elem_type == _FLOAT)
