"""What this machine is: processor, cores, instruction set, memory, load. Read from the system, nothing is loaded."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_FLAGS = (
    "avx2", "fma", "f16c", "avx512f", "avx512_vnni", "avx512_bf16", "amx_int8",
    "asimd", "asimddp", "i8mm", "bf16", "sve",
)  # fmt: skip


@dataclass(frozen=True)
class Machine:
    """`cores` are those this process may use, `isa` the extensions that matter here; bytes of memory, in all and now.

    `load` is the number of runnable threads, averaged over one, five and fifteen minutes.
    """

    cpu: str
    architecture: str
    cores: int
    isa: tuple[str, ...]
    memory_total: int | None
    memory_available: int | None
    load: tuple[float, ...]


def read_machine(proc: Path = _PROC) -> Machine:
    """What the system tells; a fact that it does not tell is None or empty."""
    fields = _fields(proc / "cpuinfo")
    flags = set((fields.get("flags") or fields.get("Features") or "").split())
    memory = _fields(proc / "meminfo")
    return Machine(
        cpu=fields.get("model name") or platform.processor() or "unknown",
        architecture=platform.machine(),
        cores=usable_cores(),
        isa=tuple(flag for flag in _FLAGS if flag in flags),
        memory_total=_bytes(memory.get("MemTotal")),
        memory_available=_bytes(memory.get("MemAvailable")),
        load=load(),
    )


def usable_cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def load() -> tuple[float, ...]:
    """The load averages over one, five and fifteen minutes; empty where the system has none."""
    try:
        return tuple(round(value, 2) for value in os.getloadavg())
    except OSError:
        return ()


def _fields(path: Path) -> dict[str, str]:
    """The `name: value` lines of a file, the first of each name."""
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return {}
    found: dict[str, str] = {}
    for name, mark, value in (line.partition(":") for line in lines):
        if mark:
            found.setdefault(name.strip(), value.strip())
    return found


def _bytes(kib: str | None) -> int | None:
    return int(kib.split()[0]) * 1024 if kib else None
