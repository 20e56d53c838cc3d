"""A loaded TensorRT engine that runs on a GPU or a DLA core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from premotor_accelerators.devices.tensor_check import check_tensors
from premotor_accelerators.devices.timed import timed
from premotor_accelerators.errors import RunFailed
from premotor_accelerators.protocol import Arrays, Checked, Kernel, Profile
from premotor_accelerators.tensorrt.cuda_driver import Buffer, CudaDriver
from premotor_accelerators.tensorrt.layout import Layout


@dataclass(frozen=True)
class Slot:
    """What one submission in flight needs for itself: execution context, buffers, and the event of its end."""

    context: Any
    buffers: Mapping[str, Buffer]
    done: Any


class TensorRtExecutable:
    """A kernel as an engine; `slots` submissions may be in flight, in the order in which they were started.

    Executables that share a `stream` run in one order among themselves too.

    Everything is allocated here; a run allocates nothing, copies each input once into pinned memory and each output
    once out of it. Not to be used from two threads at once.
    """

    def __init__(
        self,
        kernel: Kernel,
        where: str,
        engine: Any,
        layouts: Sequence[Layout],
        cuda: CudaDriver,
        slots: int = 1,
        keep: Sequence[Any] = (),
        stream: Any = None,
    ) -> None:
        self._kernel = kernel
        self._where = where
        self._cuda = cuda
        self._layouts = {layout.name: layout for layout in layouts}
        self._keep = (*keep, engine)  # loggers and runtimes that the engine points to
        with cuda.current():
            self._stream = stream if stream is not None else cuda.stream()
            self._slots = [self._slot(engine) for _ in range(slots)]

    @property
    def implementation(self) -> str:
        """`tensorrt on <device>`."""
        return f"tensorrt on {self._where}"

    @property
    def slots(self) -> int:
        """How many submissions may be in flight."""
        return len(self._slots)

    def run(self, inputs: Arrays, outputs: dict[str, NDArray[Any]]) -> None:
        """Compute into `outputs` and wait. Raises WrongTensor for arrays that do not match exactly, or RunFailed."""
        check_tensors("output", outputs, self._kernel.outputs)
        self.start(inputs)
        self.finish(outputs)

    def start(self, inputs: Arrays, slot: int = 0) -> None:
        """Submit a run and return at once. The slot must be free. Raises WrongTensor, RunFailed."""
        check_tensors("input", inputs, self._kernel.inputs)
        if isinstance(self._kernel, Checked):
            self._kernel.check(inputs)
        used = self._slots[slot]
        for name, array in inputs.items():
            self._layouts[name].write(array, used.buffers[name].host)
        with self._cuda.current():
            try:
                self._enqueue(used)
            except RunFailed:
                raise
            except Exception as error:  # pycuda's errors share no base with TensorRT's
                raise RunFailed(f"{self._kernel.name} on {self._where}: {error}") from error

    def ready(self, slot: int = 0) -> bool:
        """Whether the slot's run has ended."""
        with self._cuda.current():
            return bool(self._slots[slot].done.query())

    def finish(self, outputs: dict[str, NDArray[Any]], slot: int = 0) -> None:
        """Wait for the slot's run and fill `outputs`. Raises WrongTensor, RunFailed."""
        check_tensors("output", outputs, self._kernel.outputs)
        used = self._slots[slot]
        with self._cuda.current():
            try:
                used.done.synchronize()
            except Exception as error:
                raise RunFailed(f"{self._kernel.name} on {self._where}: {error}") from error
        for name, array in outputs.items():
            self._layouts[name].read(used.buffers[name].host, array)

    def profile(self, runs: int) -> Profile:
        """Latency over `runs` runs on zeros, after two that are not counted."""
        return timed(self, self._kernel, runs)

    def _slot(self, engine: Any) -> Slot:
        context = engine.create_execution_context()
        if context is None:
            raise RunFailed(f"{self._kernel.name} on {self._where}: no execution context; free device memory")
        buffers = {name: self._cuda.buffer(held.padded, held.dtype) for name, held in self._layouts.items()}
        for name, buffer in buffers.items():
            context.set_tensor_address(name, buffer.device)
        return Slot(context, buffers, self._cuda.event())

    def _enqueue(self, used: Slot) -> None:
        for spec in self._kernel.inputs:
            self._cuda.upload(used.buffers[spec.name], self._stream)
        if not used.context.execute_async_v3(self._stream.handle):
            raise RunFailed(f"{self._kernel.name} on {self._where}: TensorRT does not take the submission")
        for spec in self._kernel.outputs:
            self._cuda.download(used.buffers[spec.name], self._stream)
        used.done.record(self._stream)
