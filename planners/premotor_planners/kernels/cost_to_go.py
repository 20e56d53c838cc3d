"""Cost-to-go: how far every free cell is from the goal, by a wavefront of a fixed number of sweeps.

The state is `reach = LIMIT - cost`, in cells, so that 0 means "not reached" and every sweep is max-pooling, adding
and masking: operations whose time does not depend on the map. One sweep moves the front by one cell:

    straight   max over the 4 neighbours, minus 1
    diagonal   max over a 2 x 2 block whose four cells are all free, minus sqrt(2): no corner is cut
    reach'     the largest of both and of reach, zero in obstacles

Repeating the kernel on its own output until nothing changes gives exactly the shortest distances on the 8-connected
grid without corner cutting (value iteration; equal to Dijkstra up to float32 rounding, at most 1e-4 cells a step).
Those distances exceed the true shortest path around the same obstacles by at most 8.3 % (the octile metric).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.tensor import Arrays, Field, Tensor

LIMIT_CELLS = 2048.0
"""Costs of this many cells and more count as not reached (102 m at 0.05 m)."""
SQRT2 = math.sqrt(2.0)


@dataclass(frozen=True)
class CostToGo:
    """The kernel `cost_to_go`: (reach, free) -> reach, each float32 of shape (1, 1, rows, cols).

    `free` is 1 in free cells, else 0; `reach` is LIMIT_CELLS in the goal cell and 0 elsewhere for the first run, and
    the last output after that. One run makes `sweeps` sweeps, so it is a submission of bounded length.
    """

    rows: int = 256
    cols: int = 256
    sweeps: int = 16

    def __post_init__(self) -> None:
        if min(self.rows, self.cols) < 2 or self.sweeps < 1:
            raise ValueError(f"{self}: at least 2 x 2 cells and 1 sweep are needed")

    @property
    def name(self) -> str:
        """`cost_to_go`."""
        return "cost_to_go"

    @property
    def tolerance(self) -> float:
        """In cells."""
        return 1e-3

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """`reach` and `free`."""
        return Tensor("reach", (1, 1, self.rows, self.cols)), Tensor("free", (1, 1, self.rows, self.cols))

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """`reach_next`."""
        return (Tensor("reach_next", (1, 1, self.rows, self.cols)),)

    def reference(self, inputs: Arrays) -> dict[str, NDArray[Any]]:
        """The sweeps in numpy."""
        reach, free = inputs["reach"][0, 0].astype(np.float32), inputs["free"][0, 0].astype(np.float32)
        block_free = _blocks(free, np.minimum, 1.0)
        for _ in range(self.sweeps):
            reach = sweep(reach, free, block_free)
        return {"reach_next": reach[None, None]}

    def onnx(self) -> bytes:
        """The sweeps as MaxPool, Max, Mul and Sub."""
        from premotor_planners.kernels.onnx_graph import GraphWriter

        graph = GraphWriter(self.name)
        one, root = graph.constant("one", 1.0), graph.constant("sqrt2", SQRT2)
        occupied = graph.op("Sub", [one, "free"], "occupied")
        touched = graph.op("MaxPool", [occupied], "block_occupied", kernel_shape=[2, 2], pads=[1, 1, 1, 1])
        block_free = graph.op("Sub", [one, touched], "block_free")
        reach = "reach"
        for i in range(self.sweeps):
            tag = f"sweep{i}"
            column = graph.op("MaxPool", [reach], f"{tag}_column", kernel_shape=[3, 1], pads=[1, 0, 1, 0])
            row = graph.op("MaxPool", [reach], f"{tag}_row", kernel_shape=[1, 3], pads=[0, 1, 0, 1])
            cross = graph.op("Max", [column, row], f"{tag}_cross")
            straight = graph.op("Sub", [cross, one], f"{tag}_straight")
            block = graph.op("MaxPool", [reach], f"{tag}_block", kernel_shape=[2, 2], pads=[1, 1, 1, 1])
            allowed = graph.op("Mul", [block, block_free], f"{tag}_allowed")
            around = graph.op("MaxPool", [allowed], f"{tag}_around", kernel_shape=[2, 2])
            diagonal = graph.op("Sub", [around, root], f"{tag}_diagonal")
            best = graph.op("Max", [straight, diagonal, reach], f"{tag}_best")
            last = i == self.sweeps - 1
            reach = graph.op("Mul", [best, "free"], "reach_next" if last else f"{tag}_reach")
        return graph.finish(self.inputs, self.outputs)


def sweep(reach: Field, free: Field, block_free: Field) -> Field:
    """One sweep over maps of shape (rows, cols); `block_free` as from `_blocks`, shape (rows + 1, cols + 1)."""
    padded = np.pad(reach, 1)
    column = np.maximum(padded[:-2, 1:-1], padded[2:, 1:-1])
    row = np.maximum(padded[1:-1, :-2], padded[1:-1, 2:])
    straight = np.maximum(np.maximum(column, row), reach) - np.float32(1.0)
    allowed = _blocks(reach, np.maximum, 0.0) * block_free
    around = np.maximum(np.maximum(allowed[:-1, :-1], allowed[:-1, 1:]), np.maximum(allowed[1:, :-1], allowed[1:, 1:]))
    best: Field = np.maximum(np.maximum(straight, around - np.float32(SQRT2)), reach) * free
    return best


def _blocks(values: Field, combine: np.ufunc, outside: float) -> Field:
    """The 2 x 2 blocks around every cell corner combined, shape (rows + 1, cols + 1); beyond the edge `outside`."""
    padded = np.pad(values, 1, constant_values=outside)
    top: Field = combine(padded[:-1, :-1], padded[:-1, 1:])
    bottom: Field = combine(padded[1:, :-1], padded[1:, 1:])
    blocks: Field = combine(top, bottom)
    return blocks
