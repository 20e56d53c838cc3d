"""Devices by the names that the command line knows."""

from __future__ import annotations

import difflib
from importlib.metadata import PackageNotFoundError, version

from premotor_accelerators.devices.tensorrt import Samples
from premotor_accelerators.protocol import Device, Precision
from premotor_foundation.errors import UsageError

DEVICES = ("cpu", "cuda", "tensorrt", "dla0", "dla1")
_PACKAGES = {
    "cpu": ("premotor", "onnxruntime"),
    "cuda": ("premotor", "onnxruntime-gpu"),
    "tensorrt": ("premotor", "tensorrt", "pycuda"),
    "dla": ("premotor", "tensorrt", "pycuda"),
}
_PRECISIONS: dict[str, Precision] = {"fp32": "fp32", "fp16": "fp16", "int8": "int8"}


def open_device(name: str, board: str | None = None, samples: Samples | None = None) -> Device:
    """The device. `board` is needed for a DLA core.

    Raises UsageError for an unknown name, DeviceUnavailable with what is missing and the remedy.
    """
    check_device(name)
    if name == "cpu":
        from premotor_accelerators.devices.cpu import CpuDevice

        return CpuDevice()
    if name == "cuda":
        from premotor_accelerators.devices.cuda import CudaDevice

        return CudaDevice()
    if name == "tensorrt":
        from premotor_accelerators.devices.tensorrt import TensorRtDevice

        return TensorRtDevice(samples=samples)
    return _dla(int(name.removeprefix("dla")), board, samples)


def check_device(name: str) -> None:
    """Raises UsageError for a name that is no device's."""
    if name not in DEVICES:
        nearest = difflib.get_close_matches(name, DEVICES, n=1)
        hint = f"; did you mean `{nearest[0]}`?" if nearest else ""
        raise UsageError(f"there is no device `{name}`; known: {', '.join(DEVICES)}{hint}")


def precision_named(name: str | None, device: str) -> Precision:
    """The precision, or the device's usual one: fp32 on the CPU and by ONNX Runtime, fp16 elsewhere."""
    if name is None:
        return "fp32" if device in ("cpu", "cuda") else "fp16"
    if name not in _PRECISIONS:
        raise UsageError(f"there is no precision `{name}`; known: {', '.join(_PRECISIONS)}")
    return _PRECISIONS[name]


def versions_of(device: str) -> dict[str, str]:
    """The versions of the packages that compute on a device; those that are not installed are left out."""
    found = {}
    for package in _PACKAGES[device.rstrip("01")]:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _dla(core: int, board: str | None, samples: Samples | None) -> Device:
    from premotor_accelerators.devices.dla import DlaDevice

    if board is None:
        raise UsageError("a DLA core needs --board, such as agx_orin_64: the placement rules depend on it")
    return DlaDevice(core, board, samples=samples)
