"""CUDA's driver by pycuda, imported here and nowhere else: context, streams, events, pinned and device memory."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_accelerators.errors import DeviceUnavailable

_REMEDY = "`pip install pycuda` (it needs the CUDA toolkit's headers and a C++ compiler)"


@dataclass(frozen=True)
class Buffer:
    """Memory that host and device both know.

    `host` is pinned. `device` is the address that kernels use; for `mapped` memory it is the same memory, otherwise
    `allocation` owns it and the content has to be copied.
    """

    host: NDArray[Any]
    device: int
    mapped: bool
    allocation: Any


class CudaDriver:
    """One GPU's primary context. Calls between `with driver.current():` may come from any thread."""

    def __init__(self, driver: Any, index: int = 0) -> None:
        self._driver = driver
        self._gpu = driver.Device(index)
        self._context = self._gpu.retain_primary_context()
        attribute = driver.device_attribute
        self.shares_memory = bool(self._gpu.get_attribute(attribute.INTEGRATED))
        """Whether host and device have one memory, as on a Jetson: then nothing is copied."""

    @property
    def device_name(self) -> str:
        """Such as `Orin sm87`."""
        major, minor = self._gpu.compute_capability()
        return f"{self._gpu.name()} sm{major}{minor}"

    @contextlib.contextmanager
    def current(self) -> Iterator[None]:
        """The context is this thread's within the block."""
        self._context.push()
        try:
            yield
        finally:
            self._context.pop()

    def stream(self) -> Any:
        """A new stream."""
        return self._driver.Stream()

    def event(self) -> Any:
        """A new event that a waiting thread sleeps on, so that the core is free for other lanes."""
        flags = self._driver.event_flags
        return self._driver.Event(flags.BLOCKING_SYNC | flags.DISABLE_TIMING)

    def buffer(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Buffer:
        """Zeroed memory for one tensor."""
        flags = self._driver.host_alloc_flags
        host = self._driver.pagelocked_zeros(shape, dtype, mem_flags=flags.DEVICEMAP if self.shares_memory else 0)
        if self.shares_memory:
            return Buffer(host, int(host.base.get_device_pointer()), True, None)
        allocation = self._driver.mem_alloc(max(host.nbytes, 1))
        return Buffer(host, int(allocation), False, allocation)

    def upload(self, buffer: Buffer, stream: Any) -> None:
        """Copy host to device, in the stream's order; nothing to do for mapped memory."""
        if not buffer.mapped:
            self._driver.memcpy_htod_async(buffer.allocation, buffer.host, stream)

    def download(self, buffer: Buffer, stream: Any) -> None:
        """Copy device to host, in the stream's order; nothing to do for mapped memory."""
        if not buffer.mapped:
            self._driver.memcpy_dtoh_async(buffer.host, buffer.allocation, stream)


def open_driver(index: int = 0) -> CudaDriver:
    """The GPU of that index. Raises DeviceUnavailable without pycuda, driver or GPU."""
    try:
        driver: Any = importlib.import_module("pycuda.driver")
    except ImportError as error:
        raise DeviceUnavailable(f"the module `pycuda` is not there ({error}); {_REMEDY}") from error
    os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")  # or streams of GPU and DLA lanes wait for each other
    try:
        driver.init()
        return CudaDriver(driver, index)
    except driver.Error as error:
        raise DeviceUnavailable(
            f"CUDA has no GPU {index} here ({error}); check `nvidia-smi`, or run on the device cpu"
        ) from error
