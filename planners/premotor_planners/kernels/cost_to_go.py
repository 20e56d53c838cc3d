"""Cost-to-go: how far every free cell is from the goal, by a wavefront of a fixed number of sweeps.

A straight step costs 5, a diagonal one 7; a corner is never cut. The state is `reach = limit - cost`, so that 0 means
"not reached" and every sweep is max-pooling, adding and masking: operations whose time does not depend on the map.

    straight   max over the 4 neighbours and the cell, minus 5
    diagonal   max over the open 2 x 2 blocks (all four cells free) that hold the cell, minus 7
    reach'     the largest of both and of reach, zero in obstacles

After `budget` sweeps every way of at most `budget` steps has been tried. A way of more steps costs at least
5 (budget + 1), which is `limit`: so every value above 0 is exact, and 0 says "not within the budget".
All numbers are whole and at most 2048, which float16 holds exactly: every implementation gives the same bits.

Against Dijkstra with sqrt(2) for a diagonal: cost / 5 <= exact <= 1.0102 cost / 5 (sqrt(2) is 1.0102 times 7 / 5).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.cost_to_go_graph import cost_to_go_graph
from premotor_planners.kernels.cost_to_go_native import CostToGoNative
from premotor_planners.kernels.map_values import check_free, check_whole
from premotor_planners.kernels.tensor import Arrays, Field, Tensor

STRAIGHT = 5
DIAGONAL = 7
MOST_LIMIT = 2048
"""The largest whole number up to which float16 holds all of them."""
MOST_BUDGET = MOST_LIMIT // STRAIGHT - 1
DETOUR = 1.5
"""The budget in longer sides of the map, unless told otherwise: corner to corner of an empty map takes 1.4."""


@dataclass(frozen=True)
class CostToGo:
    """The kernel `cost_to_go`: (reach, free) -> reach_next, each float32 of shape (1, 1, rows, cols), whole numbers.

    `free` is 1 in free cells, else 0. `reach` is `limit` in the goal cell and 0 elsewhere for the first run, and the
    last output after that: `runs` runs of `sweeps` sweeps are the whole budget. `sweeps` None is all of it at once;
    `budget` None is 1.5 times the longer side, at most 408 (a way of 20 m at 0.05 m).
    """

    rows: int = 128
    cols: int = 128
    sweeps: int | None = None
    budget: int | None = None

    def __post_init__(self) -> None:
        if min(self.rows, self.cols) < 2 or self.sweeps_a_run < 1:
            raise ValueError(f"{self}: at least 2 x 2 cells and 1 sweep are needed")
        if not 1 <= self.all_sweeps <= MOST_BUDGET:
            raise ValueError(f"{self}: the budget must be from 1 to {MOST_BUDGET} sweeps, or costs leave float16")

    @property
    def name(self) -> str:
        """`cost_to_go`."""
        return "cost_to_go"

    @property
    def all_sweeps(self) -> int:
        """The budget in force."""
        usual = min(MOST_BUDGET, math.ceil(DETOUR * max(self.rows, self.cols)))
        return usual if self.budget is None else self.budget

    @property
    def sweeps_a_run(self) -> int:
        """How many sweeps one run makes: the length of a submission."""
        return self.all_sweeps if self.sweeps is None else self.sweeps

    @property
    def runs(self) -> int:
        """Runs that make up the budget."""
        return math.ceil(self.all_sweeps / self.sweeps_a_run)

    @property
    def limit(self) -> int:
        """The goal's reach; costs of this much and more count as not reached."""
        return STRAIGHT * (self.all_sweeps + 1)

    @property
    def tolerance(self) -> float:
        """Every implementation gives the same whole numbers."""
        return 0.0

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """`reach` and `free`."""
        return Tensor("reach", (1, 1, self.rows, self.cols)), Tensor("free", (1, 1, self.rows, self.cols))

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """`reach_next`."""
        return (Tensor("reach_next", (1, 1, self.rows, self.cols)),)

    def check(self, inputs: Arrays) -> None:
        """Raise MapError for a value that is not a number, not whole, or beyond its range."""
        check_whole("reach", inputs["reach"], self.limit)
        check_free(inputs["free"])

    def reference(self, inputs: Arrays) -> dict[str, NDArray[Any]]:
        """The sweeps in numpy. Raises MapError."""
        self.check(inputs)
        free = inputs["free"][0, 0].astype(np.float32)
        reach = inputs["reach"][0, 0].astype(np.float32) * free
        is_open = _blocks(free, np.minimum)
        for _ in range(self.sweeps_a_run):
            reach = sweep(reach, free, is_open)
        return {"reach_next": reach[None, None]}

    def onnx(self) -> bytes:
        """The sweeps as MaxPool, Max, Mul and Add: operators that a DLA runs natively."""
        return cost_to_go_graph(self.name, self.inputs, self.outputs, self.sweeps_a_run)

    def native(self) -> CostToGoNative:
        """The C++ version. Raises BuildError."""
        return CostToGoNative(self)


def sweep(reach: Field, free: Field, is_open: Field) -> Field:
    """One sweep over maps of shape (rows, cols); `is_open` is 1 where a 2 x 2 block is free, (rows - 1, cols - 1)."""
    padded = np.pad(reach, 1)
    column = np.maximum(padded[:-2, 1:-1], padded[2:, 1:-1])
    row = np.maximum(padded[1:-1, :-2], padded[1:-1, 2:])
    allowed = np.pad(_blocks(reach, np.maximum) * is_open, 1)
    around = np.maximum(np.maximum(allowed[:-1, :-1], allowed[:-1, 1:]), np.maximum(allowed[1:, :-1], allowed[1:, 1:]))
    stepped = np.maximum(np.maximum(column, row) - np.float32(STRAIGHT), around - np.float32(DIAGONAL))
    best: Field = np.maximum(stepped, reach) * free
    return best


def _blocks(values: Field, combine: np.ufunc) -> Field:
    """The 2 x 2 blocks combined, shape (rows - 1, cols - 1)."""
    top: Field = combine(values[:-1, :-1], values[:-1, 1:])
    bottom: Field = combine(values[1:, :-1], values[1:, 1:])
    blocks: Field = combine(top, bottom)
    return blocks
