"""The value of one node whose inputs are constants."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper

from premotor_accelerators.dla.graph import Node

DRAWN = frozenset(
    ("RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial", "Bernoulli")
)
"""Operators whose result is drawn anew at every run, constants or not."""


def evaluate(
    node: Node, opset: int, shapes: Mapping[str, tuple[int, ...]], values: Mapping[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    """Outputs by name, or nothing where the node cannot be evaluated: the value then stays unknown, never wrong."""
    if node.op == "Shape" and node.inputs[0] in shapes:
        return {node.outputs[0]: _sizes(node, shapes[node.inputs[0]])}
    if node.op == "Size" and node.inputs[0] in shapes:
        return {node.outputs[0]: np.asarray(prod(shapes[node.inputs[0]]), np.int64)}
    if any(name not in values for name in node.reads) or node.captured or node.proto.domain not in ("", "ai.onnx"):
        return {}
    try:
        found = _run(node, opset, {name: values[name] for name in node.inputs if name})
    except Exception:  # an operator that the reference evaluator lacks or a type it does not take
        return {}
    return {n: v for n, v in found.items() if isinstance(v, np.ndarray) and v.dtype != object}


def _sizes(node: Node, shape: tuple[int, ...]) -> NDArray[np.int64]:
    return np.asarray(shape[node.attribute("start", 0) : node.attribute("end", len(shape))], np.int64)


def _run(node: Node, opset: int, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    from onnx.reference import ReferenceEvaluator

    given = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for n, v in inputs.items()
    ]
    names = [name for name in node.outputs if name]
    made = [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in names]
    graph = helper.make_graph([node.proto], "one", given, made)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    found = ReferenceEvaluator(model).run(names, dict(inputs))
    return dict(zip(names, map(np.asarray, found), strict=True))
