"""The CPU, by ONNX Runtime: fp32, one thread unless told otherwise, results written into the caller's arrays."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from premotor_accelerators.devices.tensor_check import check_tensors
from premotor_accelerators.errors import CompileRefused, RunFailed
from premotor_accelerators.protocol import Arrays, Kernel, Precision, Profile, TensorSpec

_TYPES = {"tensor(float)": np.float32, "tensor(int32)": np.int32, "tensor(int64)": np.int64, "tensor(bool)": np.bool_}


class CpuDevice:
    """Compiles kernels for the CPU.

    `threads` is the number of threads within one operator; 1 leaves the other cores to their lanes and makes times
    steadier. Spinning is off, so that a waiting run takes no processor time from others.
    """

    def __init__(self, threads: int = 1) -> None:
        if threads < 1:
            raise ValueError(f"threads is {threads}; it must be at least 1")
        self._threads = threads

    @property
    def name(self) -> str:
        """`cpu`."""
        return "cpu"

    def compile(self, kernel: Kernel, precision: Precision = "fp32") -> CpuExecutable:
        """A session for the kernel's ONNX graph.

        Raises CompileRefused for a precision other than fp32, an operator ONNX Runtime's CPU provider lacks, dynamic
        shapes, and a graph whose inputs or outputs differ from the kernel's.
        """
        if precision != "fp32":
            raise CompileRefused(
                f"{kernel.name}: precision {precision} on the device cpu; it runs fp32 only "
                "(half-precision operators convert to fp32 and back, int8 needs a calibrated graph); compile with fp32"
            )
        try:
            session = onnxruntime.InferenceSession(
                kernel.onnx(), sess_options=self._options(), providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # ONNX Runtime's errors share no narrower base
            raise CompileRefused(f"{kernel.name}: ONNX Runtime does not take the graph: {error}") from error
        _check_face(kernel.name, "input", session.get_inputs(), kernel.inputs)
        _check_face(kernel.name, "output", session.get_outputs(), kernel.outputs)
        return CpuExecutable(kernel, session)

    def _options(self) -> Any:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        return options


class CpuExecutable:
    """A kernel compiled for the CPU. Not to be run from two threads at once: the binding is shared."""

    def __init__(self, kernel: Kernel, session: Any) -> None:
        self._kernel = kernel
        self._session = session
        self._binding = session.io_binding()

    def run(self, inputs: Arrays, outputs: dict[str, NDArray[Any]]) -> None:
        """Compute into `outputs`. Raises WrongTensor for arrays that do not match exactly, RunFailed if ORT does."""
        check_tensors("input", inputs, self._kernel.inputs)
        check_tensors("output", outputs, self._kernel.outputs)
        for name, array in inputs.items():
            self._binding.bind_cpu_input(name, array)
        for name, array in outputs.items():
            self._binding.bind_output(name, "cpu", 0, array.dtype.type, array.shape, array.ctypes.data)
        try:
            self._session.run_with_iobinding(self._binding)
        except Exception as error:
            raise RunFailed(f"{self._kernel.name} on cpu: {error}") from error
        finally:
            self._binding.clear_binding_inputs()
            self._binding.clear_binding_outputs()

    def profile(self, runs: int) -> Profile:
        """Latency over `runs` runs on zeros, after two that are not counted."""
        if runs < 1:
            raise ValueError(f"runs is {runs}; it must be at least 1")
        inputs = {spec.name: np.zeros(spec.shape, spec.dtype) for spec in self._kernel.inputs}
        outputs = {spec.name: np.zeros(spec.shape, spec.dtype) for spec in self._kernel.outputs}
        times = np.empty(runs + 2)
        for i in range(runs + 2):
            begin = time.perf_counter()
            self.run(inputs, outputs)
            times[i] = (time.perf_counter() - begin) * 1e3
        p50, p99 = np.percentile(times[2:], (50, 99))
        return Profile(runs, float(p50), float(p99), float(times[2:].max()))


def _check_face(kernel: str, role: str, found: Any, wanted: tuple[TensorSpec, ...]) -> None:
    graph = {value.name: value for value in found}
    if set(graph) != {spec.name for spec in wanted}:
        names = [spec.name for spec in wanted]
        raise CompileRefused(f"{kernel}: the graph's {role}s are {sorted(graph)}, the kernel declares {names}")
    for spec in wanted:
        value = graph[spec.name]
        if not all(isinstance(size, int) and size > 0 for size in value.shape):
            raise CompileRefused(
                f"{kernel}: {role} `{spec.name}` has the dynamic shape {value.shape}; export it with fixed sizes"
            )
        if tuple(value.shape) != tuple(spec.shape) or _TYPES.get(value.type) != spec.dtype.type:
            raise CompileRefused(
                f"{kernel}: {role} `{spec.name}` is {value.type} {value.shape} in the graph, "
                f"{spec.dtype} {tuple(spec.shape)} in the declaration; make them equal"
            )
