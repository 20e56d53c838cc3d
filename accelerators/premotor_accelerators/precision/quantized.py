"""A float32 graph with explicit int8: QuantizeLinear and DequantizeLinear around what computes in int8."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from onnx import helper, numpy_helper

from premotor_accelerators.errors import CompileRefused

_DATA_INPUTS = {"Conv": (0, 1), "ConvTranspose": (0, 1), "Gemm": (0, 1), "MatMul": (0, 1), "MaxPool": (0,)}
"""Operators that TensorRT computes in int8 between Q/DQ pairs, and which of their inputs are quantized."""
INT8_MAX = 127.0


def with_qdq(name: str, model: Any, ranges: Mapping[str, float], everywhere: bool = False) -> Any:
    """A copy of `model` with symmetric per-tensor Q/DQ pairs before its int8 operators.

    `everywhere` quantizes what any operator reads, as a weakly typed int8 network does. The scale of a tensor is its
    range / 127. Raises CompileRefused when there is nothing to quantize, or for a tensor without a range.
    """
    made = type(model)()
    made.CopyFrom(model)
    graph, pairs = made.graph, dict[str, list[Any]]()
    constants = {tensor.name for tensor in graph.initializer}
    for node in graph.node:
        computed = [i for i, source in enumerate(node.input) if source in ranges and source not in constants]
        for i in {*_DATA_INPUTS.get(node.op_type, ()), *(computed if everywhere else ())}:
            source = node.input[i]
            if source not in pairs:
                pairs[source] = _pair(name, graph, source, ranges)
            node.input[i] = f"{source}_dequantized"
    if not pairs:
        raise CompileRefused(
            f"{name}: no operator of the graph computes in int8 ({', '.join(_DATA_INPUTS)} do); compile with fp16"
        )
    _insert_behind(graph, pairs)
    return made


def _pair(name: str, graph: Any, source: str, ranges: Mapping[str, float]) -> list[Any]:
    largest = ranges.get(source, 0.0)
    if largest <= 0.0:
        raise CompileRefused(
            f"{name}: the tensor `{source}` is always zero in the recorded costmaps, so that it has no int8 range; "
            "record costmaps in which it is not, or compile with fp16"
        )
    scale, zero = f"{source}_scale", f"{source}_zero"
    graph.initializer.append(numpy_helper.from_array(np.array(largest / INT8_MAX, np.float32), scale))
    graph.initializer.append(numpy_helper.from_array(np.array(0, np.int8), zero))
    quantized = f"{source}_quantized"
    return [
        helper.make_node("QuantizeLinear", [source, scale, zero], [quantized], name=f"{source}_quantize"),
        helper.make_node(
            "DequantizeLinear", [quantized, scale, zero], [f"{source}_dequantized"], name=f"{source}_dequantize"
        ),
    ]


def _insert_behind(graph: Any, pairs: Mapping[str, list[Any]]) -> None:
    ordered = [node for source, pair in pairs.items() if not _is_made(graph, source) for node in pair]
    for node in graph.node:
        ordered.append(node)
        for made in node.output:
            ordered.extend(pairs.get(made, ()))
    del graph.node[:]
    graph.node.extend(ordered)


def _is_made(graph: Any, tensor: str) -> bool:
    return any(tensor in node.output for node in graph.node)
