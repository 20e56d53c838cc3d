"""Resident memory of a process and available memory of the machine, as Linux tells them."""

from __future__ import annotations

import os
import resource
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_bytes(pid: int, proc: Path = Path("/proc")) -> int:
    """What `pid` has in memory, shared pages included; 0 when it is gone."""
    try:
        return int((proc / str(pid) / "statm").read_bytes().split()[1]) * _PAGE
    except (OSError, IndexError, ValueError):
        return 0


def available_bytes(proc: Path = Path("/proc")) -> int:
    """What can be taken without swapping; 0 when the system does not say."""
    try:
        lines = (proc / "meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, IndexError, ValueError):
        return 0


def page_faults() -> int:
    """How many pages this process has been given so far, locked ones included."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_minflt + used.ru_majflt


def be_first_to_go(proc: Path = Path("/proc")) -> bool:
    """Let the kernel end this process before any other when memory runs out; False where that cannot be asked for."""
    try:
        (proc / "self" / "oom_score_adj").write_text("1000")
    except OSError:
        return False
    return True
