"""The CPU: a kernel's native version where it has one that can be built, ONNX Runtime otherwise; fp32.

ONNX Runtime is loaded when it is needed: a control process seldom does, and it is 40 MB.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from premotor_accelerators.devices.cpu_native import NativeExecutable
from premotor_accelerators.errors import CompileRefused
from premotor_accelerators.protocol import HasNative, Kernel, Precision
from premotor_foundation.native_code.errors import BuildError

if TYPE_CHECKING:
    from premotor_accelerators.devices.cpu_onnxruntime import OrtExecutable

Implementation = Literal["auto", "native", "onnxruntime"]
CpuExecutable: TypeAlias = "NativeExecutable | OrtExecutable"
_log = logging.getLogger(__name__)
_warned: set[str] = set()


class CpuDevice:
    """Compiles kernels for the CPU.

    `threads` is the number of threads within one operator of ONNX Runtime (a native version has one); 1 leaves the
    other cores to their lanes and makes times steadier. `implementation`: `auto` takes the native version where the
    kernel has one and it can be built, and says so once where it cannot; the others insist.
    """

    def __init__(self, threads: int = 1, implementation: Implementation = "auto") -> None:
        if threads < 1:
            raise ValueError(f"threads is {threads}; it must be at least 1")
        if implementation not in get_args(Implementation):
            raise ValueError(f"implementation is `{implementation}`; give one of {', '.join(get_args(Implementation))}")
        self._threads = threads
        self._implementation = implementation

    @property
    def name(self) -> str:
        """`cpu`."""
        return "cpu"

    def compile(self, kernel: Kernel, precision: Precision = "fp32") -> CpuExecutable:
        """The kernel, ready to run; `implementation` of the result says by what.

        Raises CompileRefused for a precision other than fp32, for a native version that is insisted on and is not
        there, and for a graph that ONNX Runtime's CPU provider does not take or that differs from the kernel's face.
        """
        if precision != "fp32":
            raise CompileRefused(
                f"{kernel.name}: precision {precision} on the device cpu; it runs fp32 only "
                "(half-precision operators convert to fp32 and back, int8 needs a calibrated graph); compile with fp32"
            )
        why = ""
        if self._implementation != "onnxruntime":
            try:
                return self._native(kernel)
            except CompileRefused:
                if self._implementation == "native":
                    raise
            except BuildError as error:
                if self._implementation == "native":
                    raise CompileRefused(f"{kernel.name}: the native version cannot be built: {error}") from error
                why = f": {error}"
                _warn_once(f"{kernel.name}: the native version cannot be built{why}; the slower ONNX Runtime is used")
        from premotor_accelerators.devices.cpu_onnxruntime import OrtExecutable, onnxruntime_session

        return OrtExecutable(kernel, onnxruntime_session(kernel, self._threads), f"onnxruntime{why}")

    def _native(self, kernel: Kernel) -> NativeExecutable:
        if not isinstance(kernel, HasNative):
            raise CompileRefused(f"{kernel.name} has no native version; compile with implementation onnxruntime")
        return NativeExecutable(kernel, kernel.native())


def _warn_once(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        _log.warning(message)
