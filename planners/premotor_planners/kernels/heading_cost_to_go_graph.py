"""The ONNX graph of `heading_cost_to_go`: moves are one-hot convolutions, a heading each, turns are ones over channels.

So it is made of Conv, Max, Sub and Mul alone, which every accelerator runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.onnx_graph import GraphWriter
from premotor_planners.kernels.tensor import Tensor


class _Kernel(Protocol):
    @property
    def moves(self) -> tuple[tuple[int, int, int], ...]: ...
    @property
    def sweeps(self) -> int: ...
    @property
    def turn(self) -> int: ...
    @property
    def reverse(self) -> int: ...


def heading_cost_to_go_graph(name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], kernel: _Kernel) -> bytes:
    """Serialized model, checked."""
    graph = GraphWriter(name)
    costs = np.array([cost for _, _, cost in kernel.moves], np.float32)[None, :, None, None]
    terms = {
        "ahead": (_one_hot(kernel.moves, 1), graph.constant("ahead_cost", costs)),
        "back": (_one_hot(kernel.moves, -1), graph.constant("back_cost", costs + kernel.reverse)),
    }
    weights = {key: graph.constant(f"{key}_move", weight) for key, (weight, _) in terms.items()}
    turn, headings = graph.constant("turn_cost", float(kernel.turn)), len(kernel.moves)
    around = {way: graph.constant(f"roll_{way}", _rolled(headings, way)) for way in (1, -1)}
    reach = graph.op("Mul", ["reach", "free_at"], "start")
    for sweep in range(kernel.sweeps):
        found = [reach]
        for key, (_, cost) in terms.items():
            moved = graph.op(
                "Conv", [reach, weights[key]], f"s{sweep}_{key}", group=headings, pads=[2, 2, 2, 2]
            )  # fmt: skip
            found.append(graph.op("Sub", [moved, cost], f"s{sweep}_{key}_less"))
        sides = [graph.op("Conv", [reach, weight], f"s{sweep}_roll{way}") for way, weight in around.items()]
        found.append(graph.op("Sub", [graph.op("Max", sides, f"s{sweep}_side"), turn], f"s{sweep}_turned"))
        best = graph.op("Max", found, f"s{sweep}_best")
        last = {"output": "reach_next"} if sweep == kernel.sweeps - 1 else {}
        reach = graph.op("Mul", [best, "free_at"], f"s{sweep}", **last)
    return graph.finish(inputs, outputs)


def _one_hot(moves: Sequence[tuple[int, int, int]], way: int) -> NDArray[np.float32]:
    """(headings, 1, 5, 5): what a cell gets from the cell one move ahead (1) or behind (-1)."""
    weight = np.zeros((len(moves), 1, 5, 5), np.float32)
    for heading, (row, col, _) in enumerate(moves):
        weight[heading, 0, 2 + way * row, 2 + way * col] = 1.0
    return weight


def _rolled(headings: int, way: int) -> NDArray[np.float32]:
    """(headings, headings, 1, 1): what a heading gets from its neighbour."""
    return np.roll(np.eye(headings, dtype=np.float32), way, axis=1)[:, :, None, None]
