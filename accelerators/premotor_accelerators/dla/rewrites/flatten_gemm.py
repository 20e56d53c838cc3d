"""Flatten and Gemm: one convolution over the whole map, and the flattening moved behind what follows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import helper

from premotor_accelerators.dla.graph import Node
from premotor_accelerators.dla.rewrites.editing import Editor
from premotor_accelerators.dla.rewrites.rewrite import Match, Rewrite

_LARGEST_KERNEL = 32
_POINTWISE = frozenset(
    ("Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "HardSwish", "HardSigmoid", "Dropout", "Identity")
)


def _find(editor: Editor) -> Iterator[Match]:
    for node in editor.nodes:
        flat = editor.maker(node.inputs[0]) if node.inputs else None
        shape = _flattened(editor, flat) if flat is not None else None
        if flat is None or shape is None:
            continue
        if node.op == "Gemm" and _is_plain(editor, node, shape):
            yield Match(node, partial(_to_convolution, editor, node, flat, shape))
        elif node.op in _POINTWISE and shape[2:] == (1, 1) and _is_movable(editor, node):
            yield Match(node, partial(_move_behind, editor, node, flat, shape))


def _flattened(editor: Editor, node: Node) -> tuple[int, ...] | None:
    """The four sizes of what the node flattens to N x C*H*W; None if it does anything else."""
    shape, out = (editor.shape(node.inputs[0]) if node.inputs else None), editor.shape(node.outputs[0])
    if node.op not in ("Flatten", "Reshape", "Squeeze") or shape is None or len(shape) != 4:
        return None
    return shape if out == (shape[0], prod(shape[1:])) else None


def _is_plain(editor: Editor, node: Node, shape: tuple[int, ...]) -> bool:
    stored = all(editor.is_stored(name) for name in node.inputs[1:] if name)
    bias = editor.shape(node.inputs[2]) if len(node.inputs) > 2 and node.inputs[2] else ()
    narrow = bias is not None and prod(bias[:-1]) == 1
    sizes = editor.shape(node.inputs[1]) or ()
    fits = len(sizes) == 2 and sizes[1 if node.attribute("transB", 0) else 0] == prod(shape[1:])
    return (
        stored
        and narrow
        and fits
        and editor.is_float(node.inputs[0])
        and not node.attribute("transA", 0)
        and max(shape[2:]) <= _LARGEST_KERNEL
    )


def _is_movable(editor: Editor, node: Node) -> bool:
    return editor.only_reader(node.inputs[0]) is not None and len([name for name in node.outputs if name]) == 1


def _to_convolution(editor: Editor, node: Node, flat: Node, shape: tuple[int, ...]) -> None:
    weights = _weights(editor, node).reshape(-1, *shape[1:])
    maps = weights.shape[0]
    inputs = [flat.inputs[0], editor.constant(f"{node.name}_weights", weights, node.inputs[0])]
    if len(node.inputs) > 2 and node.inputs[2]:
        bias = np.broadcast_to(editor.array(node.inputs[2]).ravel() * node.attribute("beta", 1.0), (maps,))
        inputs.append(editor.constant(f"{node.name}_bias", bias, node.inputs[0]))
    point = editor.value(f"{node.name}_point", (shape[0], maps, 1, 1), node.inputs[0])
    convolution = helper.make_node(
        "Conv", inputs, [point], name=f"{node.name}_convolution", kernel_shape=list(shape[2:])
    )
    editor.replace(node, [convolution, _flatten(point, node.outputs[0], node)])


def _weights(editor: Editor, node: Node) -> NDArray[Any]:
    weights = editor.array(node.inputs[1])
    rows = weights if node.attribute("transB", 0) else weights.T
    alpha = node.attribute("alpha", 1.0)
    return np.ascontiguousarray(rows if alpha == 1.0 else rows * alpha)


def _move_behind(editor: Editor, node: Node, flat: Node, shape: tuple[int, ...]) -> None:
    point = editor.value(f"{node.name}_point", shape, node.inputs[0])
    moved = type(node.proto)()
    moved.CopyFrom(node.proto)
    moved.input[0], moved.output[0] = flat.inputs[0], point
    editor.replace(node, [moved, _flatten(point, node.outputs[0], node)])


def _flatten(point: str, out: str, node: Node) -> Any:
    return helper.make_node("Flatten", [point], [out], name=f"{node.name}_flat", axis=1)


FLATTEN_GEMM = Rewrite("flatten-gemm", _find)
