"""`heading_cost_to_go` in C++: see `native/source/heading_cost_to_go.cpp`."""

from __future__ import annotations

from ctypes import POINTER, Structure, byref, c_int, c_int32, c_int64, c_void_p
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.native.library import kernel_library, pointer
from premotor_planners.kernels.tensor import Arrays

_SIZES = ("headings", "rows", "cols", "sweeps", "limit", "turn", "reverse")


class _Lattice(Structure):
    _fields_ = [*[(name, c_int32) for name in _SIZES], ("moves", c_void_p)]


class _Kernel(Protocol):
    @property
    def moves(self) -> tuple[tuple[int, int, int], ...]: ...
    def check(self, inputs: Arrays) -> None: ...


class HeadingCostToGoNative:
    """Not to be run from two threads at once. Raises BuildError where the library cannot be built."""

    def __init__(self, kernel: _Kernel) -> None:
        library = kernel_library()
        self._kernel = kernel
        self._description = f"native ({library.instruction_set})"
        self._moves = np.array(kernel.moves, np.int32)
        self._lattice = _Lattice(*[getattr(kernel, name) for name in _SIZES], pointer(self._moves))
        self._call = library.function("heading_cost_to_go", c_int, [POINTER(_Lattice), *[c_void_p] * 4])
        size = library.function("heading_bytes", c_int64, [POINTER(_Lattice)])(byref(self._lattice))
        self._scratch = np.zeros(size, np.uint8)

    @property
    def description(self) -> str:
        """`native (avx2)`."""
        return self._description

    def run(self, inputs: Arrays, outputs: dict[str, NDArray[Any]]) -> None:
        """One run; shapes and types have been checked. Raises MapError, and then writes nothing."""
        wrong = self._call(
            byref(self._lattice), pointer(inputs["reach"]), pointer(inputs["free_at"]), pointer(self._scratch),
            pointer(outputs["reach_next"]),
        )  # fmt: skip
        if wrong:
            self._kernel.check(inputs)
            raise AssertionError("the native version refuses a value that the definition takes")
