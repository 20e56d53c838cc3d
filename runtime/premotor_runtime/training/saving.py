"""Writing the adapter (half precision, PEFT names) and the state to resume from, each whole or not at all."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch

from premotor_foundation.atomic_write import write_atomically
from premotor_runtime.models.adapter import PREFIX, AdapterInfo, write_adapter
from premotor_runtime.training.shared_adapter import SharedAdapter

FILE_NAME = "adapter_model.safetensors"


def save(adapter: SharedAdapter, out: Path, rank: int, alpha: float, base_sha256: str, note: Mapping[str, str]) -> Path:
    """Write `adapter_model.safetensors` and `state.pt` under `out`; returns the adapter's path. Raises OSError."""
    state = adapter.state()
    views = adapter.views(state["values"])
    factors = {f"{PREFIX}{name}.weight": view.numpy().astype(np.float16) for name, view in views.items()}
    notes = {**note, "steps": str(state["steps"]), "questions": str(state["questions"])}
    path = out / FILE_NAME
    write_adapter(path, factors, AdapterInfo(rank, alpha, base_sha256), notes)
    buffer = io.BytesIO()
    torch.save(state, buffer)
    write_atomically(out / "state.pt", buffer.getvalue())
    return path
