"""Global average pool: a depthwise convolution with weights 1/(H*W), or a cascade of average pools."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from onnx import helper

from premotor_accelerators.dla.graph import Node
from premotor_accelerators.dla.rewrites.editing import Editor
from premotor_accelerators.dla.rewrites.rewrite import Match, Rewrite

_LARGEST_KERNEL = 32
_LARGEST_WINDOW = 8


def _find(editor: Editor) -> Iterator[Match]:
    for node in editor.nodes:
        shape = editor.shape(node.inputs[0]) if node.inputs else None
        if shape is None or len(shape) != 4 or not editor.is_float(node.inputs[0]):
            continue
        if not _is_global_average(editor, node):
            continue
        if max(shape[2:]) <= _LARGEST_KERNEL:
            yield Match(node, partial(_to_convolution, editor, node, shape))
        elif _steps(shape[2]) and _steps(shape[3]):
            yield Match(node, partial(_to_cascade, editor, node, shape))


def _is_global_average(editor: Editor, node: Node) -> bool:
    if node.op == "GlobalAveragePool":
        return True
    axes = editor.numbers(node, 1, "axes") if node.op == "ReduceMean" else None
    return axes is not None and sorted(axis % 4 for axis in axes) == [2, 3]


def _to_convolution(editor: Editor, node: Node, shape: tuple[int, ...]) -> None:
    channels, height, width = shape[1:]
    content = np.full((channels, 1, height, width), 1 / (height * width))
    weights = editor.constant(f"{node.name}_weights", content, node.inputs[0])
    target, ending = _ending(editor, node, shape)
    pool = helper.make_node(
        "Conv", [node.inputs[0], weights], [target], name=f"{node.name}_convolution",
        kernel_shape=[height, width], group=channels,
    )  # fmt: skip
    editor.replace(node, [pool, *ending])


def _to_cascade(editor: Editor, node: Node, shape: tuple[int, ...]) -> None:
    high, wide = _steps(shape[2]), _steps(shape[3])
    length = max(len(high), len(wide))
    windows = list(zip(high + [1] * (length - len(high)), wide + [1] * (length - len(wide)), strict=True))
    target, ending = _ending(editor, node, shape)
    pools, value, sizes = [], node.inputs[0], shape[2:]
    for index, (kernel_h, kernel_w) in enumerate(windows):
        sizes = (sizes[0] // kernel_h, sizes[1] // kernel_w)
        name = f"{node.name}_pool{index}"
        out = target if index == length - 1 else editor.value(name, (*shape[:2], *sizes), node.inputs[0])
        window = [kernel_h, kernel_w]
        pools.append(helper.make_node("AveragePool", [value], [out], name=name, kernel_shape=window, strides=window))
        value = out
    editor.replace(node, [*pools, *ending])


def _ending(editor: Editor, node: Node, shape: tuple[int, ...]) -> tuple[str, list[Any]]:
    """The value that holds the means as N,C,1,1, and what makes the node's own output of it."""
    if node.op == "GlobalAveragePool" or node.attribute("keepdims", 1):
        return node.outputs[0], []
    point = editor.value(f"{node.name}_point", (*shape[:2], 1, 1), node.inputs[0])
    return point, [helper.make_node("Flatten", [point], [node.outputs[0]], name=f"{node.name}_flat", axis=1)]


def _steps(size: int) -> list[int]:
    """Factors of at most 8 whose product is `size`; none if there are none."""
    steps = []
    while size > 1:
        step = next((f for f in range(_LARGEST_WINDOW, 1, -1) if size % f == 0), None)
        if step is None:
            return []
        steps.append(step)
        size //= step
    return steps or [1]


GLOBAL_AVERAGE_POOL = Rewrite("global-average-pool", _find)
