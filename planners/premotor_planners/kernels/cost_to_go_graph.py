"""The graph of `cost_to_go`: eleven operators a sweep, each one that a DLA runs natively."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from premotor_planners.kernels.tensor import Tensor

if TYPE_CHECKING:
    from premotor_planners.kernels.onnx_graph import GraphWriter


def cost_to_go_graph(name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], sweeps: int) -> bytes:
    """`sweeps` sweeps from `reach` to `reach_next` over `free`; the steps cost 5 and 7 (see `cost_to_go`)."""
    from premotor_planners.kernels.onnx_graph import GraphWriter

    graph = GraphWriter(name)
    is_open = _open_blocks(graph)
    reach = graph.op("Mul", ["reach", "free"], "reach_on_free")
    for i in range(sweeps):
        reach = _sweep(graph, f"sweep{i}", reach, is_open, "reach_next" if i == sweeps - 1 else f"sweep{i}_reach")
    return graph.finish(inputs, outputs)


def _open_blocks(graph: GraphWriter) -> str:
    """1 where all four cells of a 2 x 2 block are free: their sum less 3, and 0 below."""
    ones, less = graph.constant("block_weights", [[[[1.0, 1.0], [1.0, 1.0]]]]), graph.constant("block_bias", [-3.0])
    summed = graph.op("Conv", ["free", ones, less], "block_sum", kernel_shape=[2, 2])
    return graph.op("Relu", [summed], "block_open")


def _sweep(graph: GraphWriter, tag: str, reach: str, is_open: str, out: str) -> str:
    straight, extra = graph.constant("minus_straight", -5.0), graph.constant("minus_diagonal_more", -2.0)
    column = graph.op("MaxPool", [reach], f"{tag}_column", kernel_shape=[3, 1], pads=[1, 0, 1, 0])
    row = graph.op("MaxPool", [reach], f"{tag}_row", kernel_shape=[1, 3], pads=[0, 1, 0, 1])
    cross = graph.op("Max", [column, row], f"{tag}_cross")
    block = graph.op("MaxPool", [reach], f"{tag}_block", kernel_shape=[2, 2])
    allowed = graph.op("Mul", [block, is_open], f"{tag}_allowed")
    around = graph.op("MaxPool", [allowed], f"{tag}_around", kernel_shape=[2, 2], pads=[1, 1, 1, 1])
    diagonal = graph.op("Add", [around, extra], f"{tag}_diagonal")
    step = graph.op("Max", [cross, diagonal], f"{tag}_step")
    stepped = graph.op("Add", [step, straight], f"{tag}_stepped")
    best = graph.op("Max", [stepped, reach], f"{tag}_best")
    return graph.op("Mul", [best, "free"], out)
