"""How a tensor of an engine lies in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

DLA_ROW_BYTES = 64
"""Rows of a DLA_LINEAR tensor begin at multiples of this."""


@dataclass(frozen=True)
class Layout:
    """One input or output of an engine.

    `padded` is the shape in memory (rows rounded up for DLA), `shape` the part that holds values. With a `scale` the
    engine's int8 stands for int8 x scale.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    padded: tuple[int, ...]
    scale: float | None = None

    def values(self, memory: NDArray[Any]) -> NDArray[Any]:
        """The part of `memory` (of the padded shape) that holds values; a view."""
        return memory[..., : self.shape[-1]] if self.shape else memory

    def write(self, array: NDArray[Any], memory: NDArray[Any]) -> None:
        """Put a caller's float array into `memory` as the engine wants it."""
        target = self.values(memory)
        if self.scale is None:
            np.copyto(target, array, casting="same_kind")
            return
        np.copyto(target, np.clip(np.rint(array / self.scale), -127, 127), casting="unsafe")

    def read(self, memory: NDArray[Any], array: NDArray[Any]) -> None:
        """Put the engine's values into a caller's array."""
        np.copyto(array, self.values(memory), casting="same_kind")
        if self.scale is not None:
            array *= self.scale


def layout(name: str, shape: tuple[int, ...], dtype: np.dtype[Any], dla: bool, scale: float | None = None) -> Layout:
    """The layout of a tensor: C order, with DLA's row stride where `dla`."""
    if not dla or not shape:
        return Layout(name, shape, dtype, shape, scale)
    step = DLA_ROW_BYTES // dtype.itemsize
    return Layout(name, shape, dtype, (*shape[:-1], -(-shape[-1] // step) * step), scale)
