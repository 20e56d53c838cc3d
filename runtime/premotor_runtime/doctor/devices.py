"""Which devices are there, found without loading any of their libraries; and the command that mends what is missing."""

from __future__ import annotations

import site
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from premotor_accelerators.board_state import UNKNOWN_CLOCK, BoardState
from premotor_accelerators.boards import Board, board_named_in
from premotor_accelerators.dla.errors import DlaUnavailable
from premotor_accelerators.dla.target import make_target
from premotor_accelerators.tensorrt.vendor import OLDEST, numbers
from premotor_foundation.errors import UsageError
from premotor_foundation.locations import configs_dir
from premotor_runtime.doctor.findings import Device
from premotor_runtime.doctor.gpu import Gpu
from premotor_runtime.doctor.machine import Machine

_JETPACK_PYTHON = "sudo apt-get install -y nvidia-jetpack python3-libnvinfer"
_DRIVER = "sudo ubuntu-drivers install (or NVIDIA's installer), then start anew"


@dataclass(frozen=True)
class Surroundings:
    """What the rows are made from; `versions` maps packages to versions, None where one is not installed.

    `system_tensorrt` is a TensorRT that the system's own Python has, as JetPack installs it.
    """

    machine: Machine
    state: BoardState
    gpu: Gpu
    board: Board | None
    versions: Mapping[str, str | None]
    providers: tuple[str, ...]
    dla_cores: int
    system_tensorrt: Path | None = None


def find_devices(around: Surroundings) -> tuple[Device, ...]:
    """A row each: the processor, the GPU by ONNX Runtime and by TensorRT, the DLA cores, and engines for elsewhere."""
    return (_cpu(around), _cuda(around), _torch(around), _tensorrt(around), _dla(around), _rtx(around))


def find_board(machine: Machine, state: BoardState, folder: Path | None = None) -> Board | None:
    """The board of configs/boards that this is; None on machines that are none of them."""
    if state.model is None:
        return None
    size = machine.memory_total / 1e9 if machine.memory_total else None
    return board_named_in(folder or configs_dir() / "boards", state.model, size)


def count_dla(root: Path, state: BoardState) -> int:
    """DLA cores by their device nodes, or by the system's folders of them."""
    return len(list((root / "dev").glob("nvhost-nvdla*"))) or len(state.dla)


def find_system_tensorrt(root: Path) -> Path | None:
    """Where JetPack puts TensorRT for the system's Python."""
    return next(iter(sorted(root.glob("usr/lib/python3*/dist-packages/tensorrt"))), None)


def _cpu(around: Surroundings) -> Device:
    machine, version = around.machine, around.versions["onnxruntime"]
    found = f"{machine.cpu}, {machine.cores} cores, ONNX Runtime {version}"
    return Device("cpu", True, found, version, machine.cores, around.state.cpu)


def _cuda(around: Surroundings) -> Device:
    version = around.versions.get("onnxruntime-gpu") or around.versions["onnxruntime"]
    missing = _no_gpu("cuda", around)
    if missing is not None:
        return missing
    if "CUDAExecutionProvider" not in around.providers:
        reason = "a GPU with its driver, but this ONNX Runtime has no CUDA provider"
        return _absent("cuda", reason, "pip uninstall -y onnxruntime && pip install onnxruntime-gpu", around, version)
    return Device("cuda", True, f"{around.gpu.name}, by ONNX Runtime", version, around.gpu.count, around.gpu.clock)


def _torch(around: Surroundings) -> Device:
    """The GPU for the language model."""
    torch, install = around.versions["torch"], "./premotor setup --torch"
    missing = _no_gpu("torch", around)
    if missing is not None:
        return missing
    if torch is None:
        return _absent("torch", "a GPU with its driver, but no PyTorch", install, around)
    if "+cpu" in torch:
        reason = f"a GPU with its driver, but PyTorch {torch} is a build for the CPU"
        return _absent("torch", reason, "pip install --force-reinstall torch", around, torch)
    return Device("torch", True, f"{around.gpu.name}, PyTorch {torch}", torch, around.gpu.count, around.gpu.clock)


def _tensorrt(around: Surroundings) -> Device:
    missing = _no_gpu("tensorrt", around)
    if missing is not None:
        return missing
    version = around.versions["tensorrt"]
    if version is None:
        return _absent("tensorrt", f"a GPU with its driver, but {_NONE}", _install(around), around)
    if numbers(version) < OLDEST:
        reason = f"TensorRT {version} is older than {OLDEST[0]}.{OLDEST[1]}"
        return _absent("tensorrt", reason, "install JetPack 6.1 or later (TensorRT 10.3)", around, version)
    if around.versions["pycuda"] is None:
        return _absent("tensorrt", "TensorRT, but no pycuda", "pip install pycuda", around, version)
    return Device("tensorrt", True, around.gpu.name, version, around.gpu.count, around.gpu.clock)


def _dla(around: Surroundings) -> Device:
    cores, version = around.dla_cores, around.versions["tensorrt"]
    clock = around.state.dla[0] if around.state.dla else UNKNOWN_CLOCK
    if not cores:
        remedy = "none here: Jetson AGX Orin and Orin NX have DLA cores; `premotor check-dla` works without"
        return Device("dla", False, "no DLA core", version, 0, UNKNOWN_CLOCK, remedy)
    if version is None:
        return Device("dla", False, f"{cores} DLA cores, but {_NONE}", None, cores, clock, _install(around))
    try:
        target = make_target(around.board.name if around.board else "agx_orin_64", "fp16", _three(version))
    except (DlaUnavailable, UsageError) as refused:
        return Device("dla", False, f"{cores} DLA cores: {refused}", version, cores, clock, _remedy(refused))
    return Device("dla", True, f"{cores} DLA cores; {target.gate.says}", version, cores, clock)


def _rtx(around: Surroundings) -> Device:
    version = around.versions["tensorrt-rtx-cu13-bindings"]
    if version is None:
        return Device("rtx", False, "no TensorRT-RTX, which builds engines without a GPU", remedy=_RTX)
    return Device("rtx", True, "builds engines for other GPUs, without one here", version)


_NONE = "this Python has no package tensorrt"
_RTX = "pip install -r tests/external/rtx.txt"


def _no_gpu(name: str, around: Surroundings) -> Device | None:
    if not around.gpu.present:
        return Device(name, False, "no NVIDIA GPU", remedy="none here: run on the device cpu")
    if not around.gpu.driver:
        return Device(name, False, "a GPU, but its driver library libcuda is missing", remedy=_DRIVER)
    return None


def _install(around: Surroundings) -> str:
    if around.system_tensorrt is not None:
        return f"ln -s {around.system_tensorrt} {site.getsitepackages()[0]}/"
    return _JETPACK_PYTHON if around.state.l4t else "pip install tensorrt"


def _absent(name: str, reason: str, remedy: str, around: Surroundings, version: str | None = None) -> Device:
    return Device(name, False, reason, version, around.gpu.count, around.gpu.clock, remedy)


def _three(version: str) -> str:
    return ".".join(map(str, numbers(version)[:3]))


def _remedy(refused: DlaUnavailable | UsageError) -> str:
    return refused.remedy if isinstance(refused, DlaUnavailable) else _JETPACK_PYTHON
