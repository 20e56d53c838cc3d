"""One named tensor of fixed shape, and what runs a compiled kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]
Field = NDArray[np.float32]
"""A float32 map, shape (rows, cols), row 0 the lowest y."""


@dataclass(frozen=True)
class Tensor:
    """A float32 tensor of an ONNX graph."""

    name: str
    shape: tuple[int, ...]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Always float32."""
        return np.dtype(np.float32)

    def zeros(self) -> NDArray[np.float32]:
        """An array of this shape."""
        return np.zeros(self.shape, np.float32)


class Compiled(Protocol):
    """A compiled kernel, as a device hands it out."""

    def run(self, inputs: Arrays, outputs: dict[str, NDArray[Any]]) -> None:
        """Compute; `outputs` maps output names to arrays that are overwritten."""
        ...


class Referenced(Protocol):
    """A kernel that has a reference."""

    def reference(self, inputs: Arrays) -> dict[str, NDArray[Any]]:
        """The definition of the arithmetic."""
        ...


@dataclass(frozen=True)
class ReferenceRun:
    """Runs a kernel by its numpy reference: the definition that devices are held to, for tests and as an example."""

    kernel: Referenced

    def run(self, inputs: Arrays, outputs: dict[str, NDArray[Any]]) -> None:
        """As `Compiled.run`."""
        for name, value in self.kernel.reference(inputs).items():
            outputs[name][...] = value
