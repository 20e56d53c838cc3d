"""Time that a hypervisor gave to others while our virtual processors were ready to run."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

_STEAL = 8
"""The column of a processor's line in /proc/stat."""


def stolen_ms(stat: Path = Path("/proc/stat")) -> float:
    """Milliseconds since the machine started, of all processors together; 0 where the system does not tell."""
    try:
        fields = stat.read_text().splitlines()[0].split()
        return int(fields[_STEAL]) * 1e3 / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0


class StolenTime:
    """Adds up what was stolen, by what had its turn meanwhile."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = defaultdict(float)
        self._before = stolen_ms()

    def ended(self, name: str | None) -> None:
        """The turn of `name` is over; None for one that does not count."""
        now = stolen_ms()
        if name is not None:
            self.ms[name] += now - self._before
        self._before = now
