"""A kernel's native version behind the device protocol."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from premotor_accelerators.devices.tensor_check import check_tensors
from premotor_accelerators.devices.timed import timed
from premotor_accelerators.protocol import Arrays, Kernel, NativeRun, Profile


class NativeExecutable:
    """Not to be run from two threads at once: its memory is shared."""

    def __init__(self, kernel: Kernel, native: NativeRun) -> None:
        self._kernel = kernel
        self._native = native

    @property
    def implementation(self) -> str:
        """`native (<instruction set>)`."""
        return self._native.description

    def run(self, inputs: Arrays, outputs: dict[str, NDArray[Any]]) -> None:
        """Compute into `outputs`. Raises WrongTensor for arrays that do not match exactly, and as `Checked.check`."""
        check_tensors("input", inputs, self._kernel.inputs)
        check_tensors("output", outputs, self._kernel.outputs)
        self._native.run(inputs, outputs)

    def profile(self, runs: int) -> Profile:
        """Latency over `runs` runs on zeros, after two that are not counted."""
        return timed(self, self._kernel, runs)
