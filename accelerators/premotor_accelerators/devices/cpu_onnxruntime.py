"""A kernel's ONNX graph run by ONNX Runtime on the CPU, results written into the caller's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_accelerators.devices.tensor_check import check_tensors
from premotor_accelerators.devices.timed import timed
from premotor_accelerators.errors import CompileRefused, RunFailed
from premotor_accelerators.onnx_runtime import onnxruntime
from premotor_accelerators.protocol import Arrays, Checked, Kernel, Profile, TensorSpec

_TYPES = {"tensor(float)": np.float32, "tensor(int32)": np.int32, "tensor(int64)": np.int64, "tensor(bool)": np.bool_}


def onnxruntime_session(kernel: Kernel, threads: int) -> Any:
    """A session for the kernel's graph.

    Spinning is off, so that a waiting run takes no processor time from others. Raises CompileRefused for an operator
    that the CPU provider lacks, dynamic shapes, and a graph whose inputs or outputs differ from the kernel's.
    """
    try:
        session = onnxruntime.InferenceSession(
            kernel.onnx(), sess_options=_options(threads), providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # ONNX Runtime's errors share no narrower base
        raise CompileRefused(f"{kernel.name}: ONNX Runtime does not take the graph: {error}") from error
    _check_face(kernel.name, "input", session.get_inputs(), kernel.inputs)
    _check_face(kernel.name, "output", session.get_outputs(), kernel.outputs)
    return session


class OrtExecutable:
    """A kernel compiled for the CPU. Not to be run from two threads at once: the binding is shared."""

    def __init__(self, kernel: Kernel, session: Any, implementation: str) -> None:
        self._kernel = kernel
        self._session = session
        self._implementation = implementation
        self._binding = session.io_binding()

    @property
    def implementation(self) -> str:
        """`onnxruntime`, and why not the native version where the kernel has one that cannot be built."""
        return self._implementation

    def run(self, inputs: Arrays, outputs: dict[str, NDArray[Any]]) -> None:
        """Compute into `outputs`.

        Raises WrongTensor for arrays that do not match exactly, as `Checked.check`, and RunFailed if ORT does.
        """
        check_tensors("input", inputs, self._kernel.inputs)
        check_tensors("output", outputs, self._kernel.outputs)
        if isinstance(self._kernel, Checked):
            self._kernel.check(inputs)
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
        return timed(self, self._kernel, runs)


def _options(threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return options


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
