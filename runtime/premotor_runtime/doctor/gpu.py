"""The GPU as the system and its driver's tool tell of it."""

from __future__ import annotations

import shutil
import subprocess
from ctypes.util import find_library
from dataclasses import dataclass
from pathlib import Path

from premotor_accelerators.board_state import BoardState, Clock

_NODES = ("dev/nvidia0", "dev/nvhost-gpu", "dev/nvmap")
_QUERY = "name,driver_version,clocks.sm,clocks.max.sm"
_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class Gpu:
    """`driver` is its version, `found` where only the library is known to be there, None without it."""

    present: bool
    name: str
    count: int
    driver: str | None
    clock: Clock


def find_gpu(root: Path, state: BoardState) -> Gpu:
    """By its device nodes and, where there is one, nvidia-smi."""
    present = any((root / node).exists() for node in _NODES)
    told = _nvidia_smi() if present else []
    if told:
        name, driver, now, cap = told[0]
        return Gpu(True, name, len(told), driver, Clock(_mhz(now) or state.gpu.now_mhz, _mhz(cap) or state.gpu.cap_mhz))
    library = "found" if present and find_library("cuda") is not None else None
    name = f"{state.model or 'NVIDIA'} GPU" if present else ""
    return Gpu(present, name, int(present), library, state.gpu)


def _nvidia_smi() -> list[tuple[str, str, str, str]]:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return []
    try:
        done = subprocess.run(  # noqa: S603 - the driver's own tool
            [tool, f"--query-gpu={_QUERY}", "--format=csv,noheader,nounits"],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    rows = [tuple(part.strip() for part in line.split(",")) for line in done.stdout.splitlines()]
    return [(row[0], row[1], row[2], row[3]) for row in rows if len(row) == 4] if done.returncode == 0 else []


def _mhz(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
