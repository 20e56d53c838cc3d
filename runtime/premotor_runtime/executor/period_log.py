"""What happened in every control period, in a buffer of fixed size; the figures of `result.json` come from here."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

CAPACITY = 200_000


@dataclass(frozen=True)
class Period:
    """Instants in seconds on the executor's clock."""

    release_s: float
    started_s: float
    sensed_s: float
    decided_s: float
    acted_s: float
    missed: bool

    @property
    def lateness_s(self) -> float:
        """Wake-up lateness: from the release to the first instruction of the period."""
        return self.started_s - self.release_s

    @property
    def response_s(self) -> float:
        """From the release to the command."""
        return self.acted_s - self.release_s


@dataclass(frozen=True)
class Percentiles:
    """Nearest-rank percentiles, in milliseconds; all zero for no samples."""

    p50: float
    p99: float
    p999: float
    max: float


class PeriodLog:
    """The newest `CAPACITY` periods, and counts over all of them."""

    def __init__(self) -> None:
        self.periods: deque[Period] = deque(maxlen=CAPACITY)
        self.ticks = 0
        self.misses = 0
        self.longest_run = 0
        self.errors: deque[str] = deque(maxlen=100)
        self._run = 0

    def add(self, period: Period) -> None:
        """Record one period that ran."""
        self.periods.append(period)
        self._count(period.missed)

    def skipped(self, releases: int) -> None:
        """Record releases that passed while an earlier period still ran: each is a miss."""
        for _ in range(releases):
            self._count(True)

    def lateness_ms(self) -> Percentiles:
        """Wake-up lateness."""
        return percentiles_ms([period.lateness_s for period in self.periods])

    def response_ms(self) -> Percentiles:
        """Release to command."""
        return percentiles_ms([period.response_s for period in self.periods])

    def _count(self, missed: bool) -> None:
        self.ticks += 1
        self.misses += missed
        self._run = self._run + 1 if missed else 0
        self.longest_run = max(self.longest_run, self._run)


def percentiles_ms(seconds: Sequence[float]) -> Percentiles:
    """Nearest-rank percentiles of durations given in seconds."""
    ordered = sorted(seconds)
    if not ordered:
        return Percentiles(0.0, 0.0, 0.0, 0.0)

    def rank(share: float) -> float:
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)] * 1e3

    return Percentiles(rank(0.5), rank(0.99), rank(0.999), ordered[-1] * 1e3)
