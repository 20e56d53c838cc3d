"""Faults a test can ask for."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Faults:
    """Windows of simulated time in which the lidar is silent: the last scan stays, with its old stamp."""

    silent_s: list[tuple[float, float]] = field(default_factory=list)

    def drop_scans(self, from_s: float, for_s: float) -> None:
        """Silence the lidar from `from_s` for `for_s` seconds."""
        self.silent_s.append((from_s, from_s + for_s))

    def scan_is_silent(self, now_s: float) -> bool:
        """Whether a scan due now is lost."""
        return any(start <= now_s < end for start, end in self.silent_s)
