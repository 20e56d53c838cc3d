"""Which devices are there, found without loading any of their libraries."""

from __future__ import annotations

import shutil
from ctypes.util import find_library
from importlib.util import find_spec
from pathlib import Path

from premotor_runtime.doctor.findings import Device
from premotor_runtime.doctor.machine import Machine

_ROOT = Path("/")


def find_devices(machine: Machine, torch: str | None, root: Path = _ROOT) -> tuple[Device, ...]:
    """The processor and NVIDIA's units. `torch` is the installed version, or None."""
    return (
        Device("cpu", True, f"{machine.cpu}, {machine.cores} cores"),
        _cuda(torch, root),
        _tensorrt(),
        _dla(root),
    )


def board(root: Path = _ROOT) -> str | None:
    """The name of the board as its device tree gives it; None on machines that have none."""
    try:
        return (root / "proc/device-tree/model").read_text(errors="replace").strip("\0 \n") or None
    except OSError:
        return None


def _cuda(torch: str | None, root: Path) -> Device:
    seen = any((root / path).exists() for path in ("dev/nvidia0", "dev/nvhost-gpu", "dev/nvmap"))
    driver = find_library("cuda") is not None or shutil.which("nvidia-smi") is not None
    if not seen:
        return Device("cuda", False, "no NVIDIA GPU")
    if not driver:
        return Device("cuda", False, "a GPU, but its driver library libcuda is missing")
    if torch is None:
        return Device("cuda", False, "a GPU with its driver, but no PyTorch: ./premotor setup --torch installs it")
    if "+cpu" in torch:
        return Device("cuda", False, f"a GPU with its driver, but PyTorch {torch} is a build for the CPU")
    return Device("cuda", True, f"a GPU with its driver, PyTorch {torch}")


def _tensorrt() -> Device:
    found = find_spec("tensorrt") is not None
    return Device("tensorrt", found, "module tensorrt" if found else "no module tensorrt; it comes with JetPack")


def _dla(root: Path) -> Device:
    cores = len(list((root / "dev").glob("nvhost-nvdla*")))
    return Device("dla", cores > 0, f"{cores} DLA cores" if cores else "no DLA core; Jetson Orin and Xavier have them")
