"""An ONNX Runtime session whose inputs lie on the device and whose outputs go straight into the caller's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_accelerators.devices.tensor_check import check_tensors
from premotor_accelerators.devices.timed import timed
from premotor_accelerators.errors import RunFailed
from premotor_accelerators.onnx_runtime import onnxruntime
from premotor_accelerators.protocol import Arrays, Checked, Kernel, Profile


class BoundSession:
    """Device memory for the inputs is taken once. A run moves each input up and each output down, and copies nothing
    else; `run_resident` moves nothing. Not to be used from two threads at once.
    """

    def __init__(self, kernel: Kernel, session: Any, implementation: str, memory: str, index: int = 0) -> None:
        self._kernel = kernel
        self._session = session
        self._implementation = implementation
        self._binding = session.io_binding()
        self._inputs: dict[str, Any] = {}
        self._bound: dict[str, int] = {}
        for spec in kernel.inputs:
            value = onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(spec.shape, spec.dtype), memory, index)
            self._inputs[spec.name] = value
            self._binding.bind_ortvalue_input(spec.name, value)

    @property
    def implementation(self) -> str:
        """Provider and GPU."""
        return self._implementation

    def run(self, inputs: Arrays, outputs: dict[str, NDArray[Any]]) -> None:
        """Compute into `outputs`. Raises WrongTensor for arrays that do not match exactly, RunFailed if ORT does."""
        self.upload(inputs)
        self.run_resident(outputs)

    def upload(self, inputs: Arrays) -> None:
        """Move new inputs to the device. Raises WrongTensor, and as `Checked.check`."""
        check_tensors("input", inputs, self._kernel.inputs)
        if isinstance(self._kernel, Checked):
            self._kernel.check(inputs)
        for name, array in inputs.items():
            self._inputs[name].update_inplace(array)

    def run_resident(self, outputs: dict[str, NDArray[Any]]) -> None:
        """Compute on the inputs that are on the device."""
        check_tensors("output", outputs, self._kernel.outputs)
        for name, array in outputs.items():
            self._bind_output(name, array)
        try:
            self._session.run_with_iobinding(self._binding)
        except Exception as error:
            raise RunFailed(f"{self._kernel.name} on {self._implementation}: {error}") from error

    def profile(self, runs: int) -> Profile:
        """Latency over `runs` runs on zeros, after two that are not counted."""
        return timed(self, self._kernel, runs)

    def _bind_output(self, name: str, array: NDArray[Any]) -> None:
        if self._bound.get(name) != array.ctypes.data:
            self._binding.bind_output(name, "cpu", 0, array.dtype.type, array.shape, array.ctypes.data)
            self._bound[name] = array.ctypes.data
