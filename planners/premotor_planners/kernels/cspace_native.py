"""`cspace` in C++: obstacles as bits, 64 cells a word (see `native/source/cspace.cpp`)."""

from __future__ import annotations

from ctypes import c_int, c_int64, c_void_p
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.cspace_outline import outline_runs
from premotor_planners.kernels.native.library import kernel_library, pointer
from premotor_planners.kernels.tensor import Arrays


class _Kernel(Protocol):
    @property
    def rows(self) -> int: ...
    @property
    def cols(self) -> int: ...
    @property
    def headings(self) -> int: ...
    @property
    def inflation(self) -> int: ...
    @property
    def outlines(self) -> NDArray[np.bool_]: ...
    def check(self, inputs: Arrays) -> None: ...


class CSpaceNative:
    """Not to be run from two threads at once. Raises BuildError where the library cannot be built."""

    def __init__(self, kernel: _Kernel) -> None:
        library = kernel_library()
        self._kernel = kernel
        self._description = f"native ({library.instruction_set})"
        self._call = library.function("cspace", c_int, [*[c_int] * 5, *[c_void_p] * 5])
        size = library.function("cspace_bytes", c_int64, [c_int, c_int])(kernel.rows, kernel.cols)
        self._scratch = np.zeros(size, np.uint8)
        self._runs = outline_runs(kernel.outlines)

    @property
    def description(self) -> str:
        """`native (avx2)`."""
        return self._description

    def run(self, inputs: Arrays, outputs: dict[str, NDArray[Any]]) -> None:
        """One run; shapes and types have been checked. Raises MapError, and then writes nothing."""
        kernel = self._kernel
        wrong = self._call(
            kernel.rows, kernel.cols, kernel.headings, len(self._runs), kernel.inflation, pointer(self._runs),
            pointer(self._scratch), pointer(inputs["free"]), pointer(outputs["free_at"]), pointer(outputs["near"]),
        )  # fmt: skip
        if wrong:
            kernel.check(inputs)
            raise AssertionError("the native version refuses a value that the definition takes")
