"""Time as an argument: the machine's monotonic clock, or a virtual one that only moves when told."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Seconds on one monotonic axis."""

    def now(self) -> float:
        """The current time in seconds; never runs backwards."""
        ...

    def sleep_until(self, instant_s: float) -> None:
        """Return at `instant_s` or as soon after as the system allows; at once when it has passed."""
        ...


class MonotonicClock:
    """CLOCK_MONOTONIC, which all processes of one machine share, so that their records line up."""

    def now(self) -> float:
        """Seconds since an arbitrary start."""
        return time.monotonic()

    def sleep_until(self, instant_s: float) -> None:
        """Sleep to the absolute instant."""
        remaining = instant_s - time.monotonic()
        if remaining > 0:
            time.sleep(remaining)


class VirtualClock:
    """A clock for tests and replays: sleeping is jumping, and computing takes the time that `spend` says."""

    def __init__(self, start_s: float = 0.0) -> None:
        self._now = start_s

    def now(self) -> float:
        """Seconds of virtual time."""
        return self._now

    def sleep_until(self, instant_s: float) -> None:
        """Jump to `instant_s`, never back."""
        self._now = max(self._now, instant_s)

    def spend(self, duration_s: float) -> None:
        """Let `duration_s` seconds pass."""
        self._now += duration_s
