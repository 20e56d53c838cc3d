"""Cost-to-go of poses: how far the goal is for a robot that drives where it looks, backs up, and turns on the spot.

Headings are channels. Heading h looks along 2 pi h / headings; with 16 of them its move is one of (1, 0), (2, 1),
(1, 1) cells and their turned kinds, at a cost of 5, 11 or 7 (fifths of a cell), which a one-hot convolution carries
out. A sweep takes, for every pose, the best of staying, going ahead, backing up and turning to a neighbouring heading:

    reach' = max(reach, ahead(reach) - cost, back(reach) - cost - reverse, turned(reach) - turn) * free_at

Numbers are whole and at most 2048, as in `cost_to_go`: every implementation gives the same bits, and after the last
sweep every value above 0 whose way has at most that many moves is final.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.cost_to_go import MOST_LIMIT
from premotor_planners.kernels.heading_cost_to_go_graph import heading_cost_to_go_graph
from premotor_planners.kernels.heading_cost_to_go_native import HeadingCostToGoNative
from premotor_planners.kernels.map_values import check_free, check_whole
from premotor_planners.kernels.tensor import Arrays, Field, Tensor

EDGE = 2
"""Cells that the longest move goes along one axis."""
_QUARTER = ((0, 1, 5), (1, 2, 11), (1, 1, 7), (2, 1, 11))
"""Rows, columns and cost of the moves of the first four headings of 16."""


@dataclass(frozen=True)
class HeadingCostToGo:
    """The kernel `heading_cost_to_go`: (reach, free_at) -> reach_next, each float32 (1, headings, rows, cols).

    `free_at` is 1 where the robot may be, as `cspace` gives it; `reach` is `limit` less the cost of goal poses and 0
    elsewhere, and the last output for further runs. `turn` and `reverse` are what a turn by one heading costs, and
    what a move backwards costs more. Raises ValueError for sizes that cannot be.
    """

    rows: int = 64
    cols: int = 64
    headings: int = 16
    sweeps: int = 128
    limit: int = 1200
    turn: int = 6
    reverse: int = 8

    def __post_init__(self) -> None:
        if self.headings not in (4, 8, 16) or min(self.rows, self.cols) < 4 or self.sweeps < 1:
            raise ValueError(f"{self}: 4, 8 or 16 headings, at least 4 x 4 cells and 1 sweep are needed")
        if not (1 <= self.limit <= MOST_LIMIT and 0 < self.turn <= MOST_LIMIT and 0 <= self.reverse <= MOST_LIMIT):
            raise ValueError(f"{self}: limit, turn and reverse must be at most {MOST_LIMIT}, limit and turn above 0")

    @property
    def name(self) -> str:
        """`heading_cost_to_go`."""
        return "heading_cost_to_go"

    @property
    def tolerance(self) -> float:
        """Every implementation gives the same whole numbers."""
        return 0.0

    @cached_property
    def moves(self) -> tuple[tuple[int, int, int], ...]:
        """Rows, columns and cost of each heading's move; rows are y."""
        found = []
        for quarter in range(4):
            for row, col, cost in _QUARTER:
                for _ in range(quarter):
                    row, col = col, -row
                found.append((row, col, cost))
        return tuple(found[:: 16 // self.headings])

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """`reach` and `free_at`."""
        shape = (1, self.headings, self.rows, self.cols)
        return Tensor("reach", shape), Tensor("free_at", shape)

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """`reach_next`."""
        return (Tensor("reach_next", (1, self.headings, self.rows, self.cols)),)

    def check(self, inputs: Arrays) -> None:
        """Raise MapError for a value that is not a number, not whole, or beyond its range."""
        check_whole("reach", inputs["reach"], self.limit)
        check_free(inputs["free_at"])

    def reference(self, inputs: Arrays) -> dict[str, NDArray[Any]]:
        """The sweeps in numpy. Raises MapError."""
        self.check(inputs)
        free = inputs["free_at"][0].astype(np.float32)
        reach = inputs["reach"][0].astype(np.float32) * free
        for _ in range(self.sweeps):
            reach = self._swept(reach) * free
        return {"reach_next": reach[None]}

    def onnx(self) -> bytes:
        """The sweeps as Conv (one-hot), Max, Sub and Mul."""
        return heading_cost_to_go_graph(self.name, self.inputs, self.outputs, self)

    def native(self) -> HeadingCostToGoNative:
        """The C++ version. Raises BuildError."""
        return HeadingCostToGoNative(self)

    def _swept(self, reach: Field) -> Field:
        padded = np.pad(reach, ((0, 0), (EDGE, EDGE), (EDGE, EDGE)))
        best: Field = np.maximum(reach, np.maximum(np.roll(reach, 1, axis=0), np.roll(reach, -1, axis=0)) - self.turn)
        for heading, (row, col, cost) in enumerate(self.moves):
            ahead = self._shifted(padded[heading], row, col) - cost
            back = self._shifted(padded[heading], -row, -col) - cost - self.reverse
            best[heading] = np.maximum(best[heading], np.maximum(ahead, back))
        return best

    def _shifted(self, padded: Field, row: int, col: int) -> Field:
        return padded[EDGE + row : EDGE + row + self.rows, EDGE + col : EDGE + col + self.cols]
