"""The device: opened or refused, its stream, and copies to and from it without waiting."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import torch

from premotor_runtime.runners.torch.errors import DeviceError, DeviceMemoryError
from premotor_runtime.runners.torch.packing import Ints
from premotor_runtime.runners.torch.settings import TorchSettings

_LEAST_TORCH = (2, 8)  # the first whose 16-bit matrix products give float32 on CUDA
_BFLOAT16_SINCE = (8, 0)


class Device:
    """A CUDA device with a stream of its own, or the CPU (which has none and never waits)."""

    def __init__(self, settings: TorchSettings) -> None:
        """Raises DeviceError."""
        self.on_cuda = settings.on_cuda
        self.dtype: torch.dtype = getattr(torch, settings.dtype)
        if self.on_cuda:
            _check_cuda(settings)
        self.torch = torch.device(settings.device)
        self.stream: Any = torch.cuda.Stream(self.torch, settings.stream_priority) if self.on_cuda else None

    @property
    def processors(self) -> int:
        """Multiprocessors; 1 on the CPU."""
        return int(torch.cuda.get_device_properties(self.torch).multi_processor_count) if self.on_cuda else 1

    def entered(self) -> AbstractContextManager[Any]:
        """Within it, work goes to the device's own stream."""
        if not self.on_cuda:
            return contextlib.nullcontext()
        stack = contextlib.ExitStack()
        stack.enter_context(torch.cuda.device(self.torch))
        stack.enter_context(torch.cuda.stream(self.stream))
        return stack

    def upload(self, values: Ints, into: torch.Tensor | None = None) -> torch.Tensor:
        """An int32 array on the device, in `into` where given."""
        host = torch.from_numpy(values)
        if self.on_cuda:
            host = host.pin_memory()
        return host.to(self.torch, non_blocking=True) if into is None else into.copy_(host, non_blocking=True)

    def download(self, values: torch.Tensor) -> torch.Tensor:
        """The values on the host; they may be read after `wait`."""
        if not self.on_cuda:
            return values
        return torch.empty(values.shape, dtype=values.dtype, pin_memory=True).copy_(values, non_blocking=True)

    def wait(self) -> None:
        """Until everything given to the stream is done."""
        if self.on_cuda:
            self.stream.synchronize()

    def free_bytes(self) -> int | None:
        """Memory that can be had there now; None for the CPU, whose memory is the machine's."""
        return _free_bytes(self.torch) if self.on_cuda else None

    def check_room(self, needed: int, what: str) -> None:
        """Raises DeviceMemoryError when `needed` bytes are more than is free; the CPU is not asked."""
        free = self.free_bytes()
        if free is not None and needed > free:
            raise DeviceMemoryError(
                f"{what} need {needed / 2**20:.0f} MiB on {self.torch}, where {free / 2**20:.0f} MiB are free; "
                "give fewer blocks, a smaller model, or free memory there"
            )


def runs_on(architectures: Sequence[str], capability: tuple[int, int], integrated: bool) -> bool:
    """Whether code built for `architectures` (`sm_80`, `compute_90`, ...) runs on a device of this compute capability.

    Machine code runs on the same major and a lower or equal minor number, but not from a desktop's architecture on an
    integrated device (Orin is sm_87, and sm_80 code does not run there); `compute_` is compiled for any later one.
    """
    for name in architectures:
        kind, _, digits = name.partition("_")
        number = digits.rstrip("af")
        if not number.isdecimal():
            continue
        built = (int(number[:-1]), int(number[-1]))
        if kind == "sm" and (
            built == capability or (not integrated and built[0] == capability[0] and built < capability)
        ):
            return True
        if kind == "compute" and digits == number and built <= capability:
            return True
    return False


def _check_cuda(settings: TorchSettings) -> None:
    version = tuple(int(part) for part in torch.__version__.split(".")[:2])
    if version < _LEAST_TORCH:
        raise DeviceError(f"torch {torch.__version__} is installed; CUDA needs 2.8 or later")
    if not torch.cuda.is_available():
        built = f"is built for CUDA {torch.version.cuda}" if torch.version.cuda else "is built without CUDA"
        raise DeviceError(
            f"the device {settings.device!r} was asked for, and there is no CUDA device (torch {torch.__version__} "
            f"{built}); ask for `cpu`, or install a driver and a torch with CUDA"
        )
    device = torch.device(settings.device)
    count = torch.cuda.device_count()
    if (device.index or 0) >= count:
        names = ", ".join(f"cuda:{n} ({torch.cuda.get_device_name(n)})" for n in range(count))
        raise DeviceError(f"there is no device {settings.device!r}; there are {names}")
    _check_code(device, settings)
    if settings.uses_triton and os.environ.get("TRITON_INTERPRET", "0") not in ("0", ""):
        raise DeviceError("TRITON_INTERPRET is set, which interprets kernels on the CPU; unset it to run on CUDA")


def _check_code(device: torch.device, settings: TorchSettings) -> None:
    properties = torch.cuda.get_device_properties(device)
    capability = (properties.major, properties.minor)
    known = torch.cuda.get_arch_list()
    if not runs_on(known, capability, bool(getattr(properties, "is_integrated", False))):
        raise DeviceError(
            f"{properties.name} is sm_{capability[0]}{capability[1]}, and the installed torch {torch.__version__} has "
            f"code for {', '.join(known)}; install a torch built for it (for Jetson, NVIDIA's wheels)"
        )
    if settings.dtype == "bfloat16" and capability < _BFLOAT16_SINCE:
        raise DeviceError(f"{properties.name} has no bfloat16; ask for the dtype float16 or float32")


def _free_bytes(device: torch.device) -> int:
    free = int(torch.cuda.mem_get_info(device)[0])
    if getattr(torch.cuda.get_device_properties(device), "is_integrated", False):
        # memory is shared with the host, whose page cache counts as used in CUDA's figure and can be had all the same
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        available = next((int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), 0)
        return max(free, available * 1024)
    return free


def to_numpy(values: torch.Tensor) -> np.ndarray[Any, Any]:
    """A host tensor as numpy, which shares its memory."""
    return np.asarray(values.numpy())
