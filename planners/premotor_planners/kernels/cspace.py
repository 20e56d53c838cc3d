"""Configuration space: where the robot's outline fits, for each of a number of headings, and how near obstacles are.

    free_at   1 where the outline, turned to the heading, touches free cells only; beyond the map nothing is free.
              One convolution: the free cells under the outline are counted, and the count less one cell short is kept.
    near      the soft inflation: 5 (inflation + 1) in obstacles, less 5 a straight and 7 a diagonal step away from
              them, 0 from `inflation` cells on. Beyond the map there is nothing to be near to.

All numbers are whole and small enough for float16: every implementation gives the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.cost_to_go import DIAGONAL, STRAIGHT
from premotor_planners.kernels.cspace_graph import cspace_graph
from premotor_planners.kernels.cspace_native import CSpaceNative
from premotor_planners.kernels.cspace_outline import MOST_REACH, Point, outline_cells
from premotor_planners.kernels.map_values import check_free
from premotor_planners.kernels.tensor import Arrays, Field, Tensor

MOST_INFLATION = 50
"""5 (inflation + 1) then still fits the 8 bits of the native version."""
_RECTANGLE: tuple[Point, ...] = ((0.3, 0.2), (-0.3, 0.2), (-0.3, -0.2), (0.3, -0.2))


@dataclass(frozen=True)
class CSpace:
    """The kernel `cspace`: free (1, 1, rows, cols) -> free_at (1, headings, rows, cols), near (1, 1, rows, cols).

    `outline_m` are the corners of a convex outline around the robot's centre, `margin_m` is kept free around it;
    heading h is 2 pi h / headings from the x axis (columns) towards y (rows). `inflation` is in cells. Raises
    ValueError for sizes that cannot be, and an outline that reaches farther than 15 cells.
    """

    rows: int = 128
    cols: int = 128
    headings: int = 16
    outline_m: tuple[Point, ...] = _RECTANGLE
    margin_m: float = 0.0
    resolution_m: float = 0.05
    inflation: int = 11

    def __post_init__(self) -> None:
        if min(self.rows, self.cols) < 2 or self.headings < 1:
            raise ValueError(f"{self}: at least 2 x 2 cells and 1 heading are needed")
        if not 0 <= self.inflation <= MOST_INFLATION:
            raise ValueError(f"inflation is {self.inflation} cells; it must be from 0 to {MOST_INFLATION}")
        _ = self.outlines

    @property
    def name(self) -> str:
        """`cspace`."""
        return "cspace"

    @property
    def tolerance(self) -> float:
        """Every implementation gives the same whole numbers."""
        return 0.0

    @cached_property
    def outlines(self) -> NDArray[np.bool_]:
        """For each heading the cells around the robot's that the outline touches: (headings, size, size), size odd."""
        return outline_cells(self.outline_m, self.headings, self.resolution_m, self.margin_m)

    @property
    def top(self) -> int:
        """`near` in an obstacle."""
        return STRAIGHT * (self.inflation + 1)

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """`free`."""
        return (Tensor("free", (1, 1, self.rows, self.cols)),)

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """`free_at` and `near`."""
        return (
            Tensor("free_at", (1, self.headings, self.rows, self.cols)),
            Tensor("near", (1, 1, self.rows, self.cols)),
        )

    def check(self, inputs: Arrays) -> None:
        """Raise MapError for a value other than 0 and 1."""
        check_free(inputs["free"])

    def reference(self, inputs: Arrays) -> dict[str, NDArray[Any]]:
        """The definition in numpy. Raises MapError."""
        self.check(inputs)
        free = inputs["free"][0, 0].astype(np.float32)
        free_at = np.stack([_fits(free, outline) for outline in self.outlines])
        near = np.where(free == 1, 0, self.top).astype(np.float32)
        for _ in range(self.inflation):
            near = _spread(near)
        return {"free_at": free_at[None], "near": near[None, None]}

    def onnx(self) -> bytes:
        """Conv and Relu, then MaxPool, Max and Add: operators that a DLA runs natively."""
        weights = self.outlines.astype(np.float32)[:, None]
        return cspace_graph(self.name, self.inputs, self.outputs, weights, self.inflation)

    def native(self) -> CSpaceNative:
        """The C++ version. Raises BuildError."""
        return CSpaceNative(self)


def _fits(free: Field, outline: NDArray[np.bool_]) -> Field:
    reach = outline.shape[0] // 2
    padded = np.pad(free, reach)
    fits = np.ones_like(free)
    for row, col in np.argwhere(outline):
        fits = np.minimum(fits, padded[row : row + free.shape[0], col : col + free.shape[1]])
    return fits


def _spread(near: Field) -> Field:
    padded = np.pad(near, 1)
    rows = np.maximum(np.maximum(padded[:, :-2], padded[:, 1:-1]), padded[:, 2:])
    around = np.maximum(np.maximum(rows[:-2], rows[1:-1]), rows[2:])
    cross = np.maximum(np.maximum(padded[:-2, 1:-1], padded[2:, 1:-1]), rows[1:-1])
    spread: Field = np.maximum(np.maximum(cross - STRAIGHT, around - DIAGONAL), near).astype(np.float32)
    return spread


__all__ = ["MOST_INFLATION", "MOST_REACH", "CSpace"]
