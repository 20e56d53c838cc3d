"""Small integer arrays that reach the device in one copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import torch

Ints = npt.NDArray[np.int32]
_ALIGNMENT = 16  # elements: every view starts at 64 bytes, since Triton compiles a kernel anew for another alignment


class Packing:
    """int32 arrays, by name, one behind the other."""

    def __init__(self) -> None:
        self._arrays: dict[str, Ints] = {}

    def add(self, name: str, values: Sequence[int] | npt.NDArray[np.integer]) -> None:
        """Append an array of any shape, empty ones too; or take another in place of the one called so."""
        self._arrays[name] = np.asarray(values, np.int32)

    def joined(self) -> Ints:
        """All of them flat in one array, zeros between."""
        joined: Ints = np.zeros(sum(_padded(array.size) for array in self._arrays.values()), np.int32)
        at = 0
        for array in self._arrays.values():
            joined[at : at + array.size] = array.reshape(-1)
            at += _padded(array.size)
        return joined

    def views(self, joined: torch.Tensor) -> Mapping[str, torch.Tensor]:
        """The arrays, in their shapes, as views into a tensor that holds `joined()`."""
        views, at = {}, 0
        for name, array in self._arrays.items():
            views[name] = joined[at : at + array.size].view(array.shape)
            at += _padded(array.size)
        return views


def _padded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT
