"""What a kernel is, what a device promises.

Kernels live in `planners` and satisfy `Kernel` structurally; neither folder imports the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Precision = Literal["fp32", "fp16", "int8"]
Arrays = Mapping[str, NDArray[Any]]


class TensorSpec(Protocol):
    """One named tensor of fixed shape."""

    @property
    def name(self) -> str:
        """The tensor's name, as in the ONNX graph."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """Fixed sizes; a kernel has no dynamic dimension."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type."""
        ...


class Kernel(Protocol):
    """A computation with fixed shapes: a readable reference and an ONNX graph that agree within `tolerance`."""

    @property
    def name(self) -> str:
        """Short name, such as `cost_to_go`."""
        ...

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        """Inputs in order."""
        ...

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        """Outputs in order."""
        ...

    @property
    def tolerance(self) -> float:
        """Largest absolute difference allowed between implementations."""
        ...

    def reference(self, inputs: Arrays) -> dict[str, NDArray[Any]]:
        """The definition of the arithmetic, in numpy."""
        ...

    def onnx(self) -> bytes:
        """The kernel as a serialized ONNX model, opset 17, static shapes."""
        ...


class NativeRun(Protocol):
    """A kernel compiled for this processor, with memory of its own: not to be run from two threads at once."""

    @property
    def description(self) -> str:
        """What it was compiled for, such as `native (avx2)`."""
        ...

    def run(self, inputs: Arrays, outputs: dict[str, NDArray[Any]]) -> None:
        """As `Executable.run`, for arrays whose shapes and types have been checked; values as in `Checked`."""
        ...


@runtime_checkable
class HasNative(Protocol):
    """What a kernel with a native CPU version has besides."""

    def native(self) -> NativeRun:
        """The native version, compiled at first use. Raises BuildError where there is no compiler."""
        ...


@runtime_checkable
class Checked(Protocol):
    """What a kernel has besides whose inputs may not hold just any value (not a number, beyond its range)."""

    def check(self, inputs: Arrays) -> None:
        """Raise a PremotorError that names input, value, range and remedy; every device calls it before it runs."""
        ...


@dataclass(frozen=True)
class Profile:
    """Measured latency in milliseconds of one executable on its lane."""

    runs: int
    p50_ms: float
    p99_ms: float
    max_ms: float


class Executable(Protocol):
    """A compiled kernel."""

    def run(self, inputs: Arrays, outputs: dict[str, NDArray[Any]]) -> None:
        """Compute; `outputs` maps output names to arrays that are overwritten. Shapes and types must match exactly."""
        ...

    def profile(self, runs: int) -> Profile:
        """Run on zeros and report latencies."""
        ...


class Device(Protocol):
    """Something that runs kernels."""

    @property
    def name(self) -> str:
        """`cpu`, `cuda`, `tensorrt` or `dla`."""
        ...

    def compile(self, kernel: Kernel, precision: Precision) -> Executable:
        """Compile, or raise CompileRefused naming operator, rule and remedy."""
        ...
