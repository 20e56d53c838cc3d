"""`cost_to_go` in C++: the same sweeps on 16-bit numbers, several cells a lane (see `native/source/cost_to_go.cpp`)."""

from __future__ import annotations

from ctypes import c_int, c_int64, c_void_p
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.native.library import kernel_library, pointer
from premotor_planners.kernels.tensor import Arrays


class _Kernel(Protocol):
    @property
    def rows(self) -> int: ...
    @property
    def cols(self) -> int: ...
    @property
    def sweeps_a_run(self) -> int: ...
    @property
    def limit(self) -> int: ...
    def check(self, inputs: Arrays) -> None: ...


class CostToGoNative:
    """Not to be run from two threads at once. Raises BuildError where the library cannot be built."""

    def __init__(self, kernel: _Kernel) -> None:
        library = kernel_library()
        self._kernel = kernel
        self._description = f"native ({library.instruction_set})"
        self._call = library.function("cost_to_go", c_int, [*[c_int] * 4, *[c_void_p] * 4])
        size = library.function("cost_to_go_bytes", c_int64, [c_int, c_int])(kernel.rows, kernel.cols)
        self._scratch = np.zeros(size, np.uint8)

    @property
    def description(self) -> str:
        """`native (avx2)`."""
        return self._description

    def run(self, inputs: Arrays, outputs: dict[str, NDArray[Any]]) -> None:
        """One run; shapes and types have been checked. Raises MapError, and then writes nothing."""
        kernel = self._kernel
        wrong = self._call(
            kernel.rows, kernel.cols, kernel.sweeps_a_run, kernel.limit, pointer(self._scratch),
            pointer(inputs["reach"]), pointer(inputs["free"]), pointer(outputs["reach_next"]),
        )  # fmt: skip
        if wrong:
            kernel.check(inputs)
            raise AssertionError("the native version refuses a value that the definition takes")
