"""How many operations a node costs: a multiply-accumulate counts as two, every other arithmetic step as one."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from premotor_accelerators.dla.layer import Layer

_FREE = frozenset(
    (
        "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Identity", "Dropout", "Cast", "Concat", "Slice",
        "Split", "Pad", "Gather", "GatherElements", "GatherND", "Expand", "Tile", "Constant", "Shape", "Size",
        "DepthToSpace", "SpaceToDepth", "ConstantOfShape", "ScatterND", "ScatterElements",
    )
)  # fmt: skip
"""Operators that move values and compute none."""


def operations(layer: Layer) -> int:
    """Operations of one run; 0 for what is folded, unread, only moves values, or has no known shape."""
    if layer.node.flaw or not layer.is_needed or layer.is_folded or layer.node.op in _FREE or layer.out is None:
        return 0
    return _COUNTS.get(layer.node.op, _each_output)(layer)


def _each_output(layer: Layer) -> int:
    steps = max(1, len(layer.node.inputs) - 1) if layer.node.op in ("Sum", "Max", "Min", "Mean") else 1
    return steps * sum(layer.elements(name) for name in layer.node.outputs)


def _convolution(layer: Layer) -> int:
    weights, out = layer.shape(1), layer.out
    return 2 * prod(weights[1:]) * prod(out) if weights and out is not None else 0


def _transposed(layer: Layer) -> int:
    weights, given = layer.shape(1), layer.shape(0)
    return 2 * prod(weights[1:]) * prod(given) if weights and given is not None else 0


def _product(layer: Layer) -> int:
    given, out = layer.shape(0), layer.out
    if not given or out is None:
        return 0
    inner = given[0] if layer.node.op == "Gemm" and layer.node.attribute("transA", 0) else given[-1]
    return 2 * inner * prod(out)


def _window(layer: Layer) -> int:
    kernel: list[int] = layer.node.attribute("kernel_shape", [1])
    return prod(kernel) * prod(layer.out or ())


def _each_input(layer: Layer) -> int:
    return layer.elements(layer.node.inputs[0])


def _several(times: int) -> Callable[[Layer], int]:
    return lambda layer: times * _each_output(layer)


_COUNTS: dict[str, Callable[[Layer], int]] = {
    "Conv": _convolution,
    "ConvTranspose": _transposed,
    "Gemm": _product,
    "MatMul": _product,
    "MaxPool": _window,
    "AveragePool": _window,
    "LpPool": _window,
    "BatchNormalization": _several(2),
    "LayerNormalization": _several(8),
    "InstanceNormalization": _several(8),
    "Softmax": _several(5),
    "LogSoftmax": _several(5),
    **dict.fromkeys(
        (
            "GlobalAveragePool", "GlobalMaxPool", "ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL2",
            "ReduceProd", "ReduceL1", "ArgMax", "ArgMin", "TopK",
        ),
        _each_input,
    ),
}  # fmt: skip
