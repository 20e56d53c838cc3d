"""How much of the processors other programs take."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

_STAT = Path("/proc/stat")
_IDLE = slice(3, 5)  # idle, and waiting for a disk


def busy_share(seconds: float = 1.0, stat: Path = _STAT, sleep: Callable[[float], None] = time.sleep) -> float | None:
    """The share (0 to 1) of all processors' time that was used while this program slept; None where it is not told."""
    before = _times(stat)
    sleep(seconds)
    after = _times(stat)
    passed = [late - early for early, late in zip(before, after, strict=False)]
    if not passed or sum(passed) <= 0:
        return None
    return round(1.0 - sum(passed[_IDLE]) / sum(passed), 3)


def _times(stat: Path) -> list[int]:
    try:
        first = stat.read_text().splitlines()[0].split()
    except (OSError, IndexError):
        return []
    return [int(ticks) for ticks in first[1:9]]
