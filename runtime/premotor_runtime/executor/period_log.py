"""What happened in every control period, in memory that is taken once; the figures of `result.json` come from here."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np

from premotor_runtime.scheduler.clustering import Clusters, MissCounter

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
    """The newest `capacity` periods, and counts over all of them."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self.errors: deque[str] = deque(maxlen=100)
        self._rows = np.full((capacity, 6), math.nan)
        self._added = 0
        self._counter = MissCounter()

    @property
    def periods(self) -> list[Period]:
        """Those that ran, oldest first; made anew at each call."""
        capacity = len(self._rows)
        newest = range(max(0, self._added - capacity), self._added)
        return [_period(self._rows[at % capacity].tolist()) for at in newest]

    @property
    def ticks(self) -> int:
        """All periods, those that passed unseen too."""
        return self._counter.periods

    @property
    def misses(self) -> int:
        """Periods without a decision in time."""
        return self._counter.misses

    @property
    def longest_run(self) -> int:
        """The most misses in succession."""
        return self._counter.longest

    @property
    def clusters(self) -> Clusters:
        """How the misses cluster."""
        return self._counter.counts()

    def add(self, period: Period) -> None:
        """Record one period that ran."""
        self._rows[self._added % len(self._rows)] = astuple(period)
        self._added += 1
        self._counter.add(period.missed)

    def skipped(self, releases: int) -> None:
        """Record releases that passed while an earlier period still ran: each is a miss."""
        self._counter.add_run(releases)

    def lateness_ms(self) -> Percentiles:
        """Wake-up lateness."""
        return percentiles_ms([period.lateness_s for period in self.periods])

    def response_ms(self) -> Percentiles:
        """Release to command."""
        return percentiles_ms([period.response_s for period in self.periods])


def _period(row: list[float]) -> Period:
    release, started, sensed, decided, acted, missed = row
    return Period(release, started, sensed, decided, acted, missed > 0.0)


def percentiles_ms(seconds: Sequence[float]) -> Percentiles:
    """Nearest-rank percentiles of durations given in seconds."""
    ordered = sorted(seconds)
    if not ordered:
        return Percentiles(0.0, 0.0, 0.0, 0.0)

    def rank(share: float) -> float:
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)] * 1e3

    return Percentiles(rank(0.5), rank(0.99), rank(0.999), ordered[-1] * 1e3)
