"""The graph of `cspace`: one convolution for all headings, and eight operators a cell of inflation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.tensor import Tensor

if TYPE_CHECKING:
    from premotor_planners.kernels.onnx_graph import GraphWriter


def cspace_graph(
    name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], outlines: NDArray[np.float32], inflation: int
) -> bytes:
    """`outlines` are the weights, (headings, 1, size, size), 1 under the outline."""
    from premotor_planners.kernels.onnx_graph import GraphWriter

    graph = GraphWriter(name)
    size = outlines.shape[-1]
    weights = graph.constant("outlines", outlines)
    short = graph.constant("one_less_than_all", 1.0 - outlines.sum(axis=(1, 2, 3)))
    counted = graph.op("Conv", ["free", weights, short], "free_cells", kernel_shape=[size, size], pads=[size // 2] * 4)
    graph.op("Relu", [counted], "free_at")
    top = 5.0 * (inflation + 1)
    scaled = graph.op("Mul", ["free", graph.constant("minus_top", -top)], "minus_top_on_free")
    near = graph.op("Add", [scaled, graph.constant("top", top)], "near" if inflation == 0 else "obstacles")
    for i in range(inflation):
        near = _spread(graph, f"spread{i}", near, "near" if i == inflation - 1 else f"spread{i}_near")
    return graph.finish(inputs, outputs)


def _spread(graph: GraphWriter, tag: str, near: str, out: str) -> str:
    straight, extra = graph.constant("minus_straight", -5.0), graph.constant("minus_diagonal_more", -2.0)
    column = graph.op("MaxPool", [near], f"{tag}_column", kernel_shape=[3, 1], pads=[1, 0, 1, 0])
    row = graph.op("MaxPool", [near], f"{tag}_row", kernel_shape=[1, 3], pads=[0, 1, 0, 1])
    cross = graph.op("Max", [column, row], f"{tag}_cross")
    around = graph.op("MaxPool", [near], f"{tag}_around", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    diagonal = graph.op("Add", [around, extra], f"{tag}_diagonal")
    step = graph.op("Max", [cross, diagonal], f"{tag}_step")
    stepped = graph.op("Add", [step, straight], f"{tag}_stepped")
    return graph.op("Max", [stepped, near], out)
