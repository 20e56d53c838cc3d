"""What became of every release, whether a period began for it or not. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from premotor_runtime.app.core_witness import Stall, withheld_s
from premotor_runtime.executor.period_log import Percentiles, Period, percentiles_ms
from premotor_runtime.scheduler.clustering import MissCounter

_SAME_S = 1e-4
"""Instants of one release, in two places, differ by less than this."""


@dataclass(frozen=True)
class Grid:
    """Releases of a slice: `count` of them, the first at `first_s`."""

    first_s: float
    count: int
    period_s: float

    @property
    def releases_s(self) -> NDArray[np.float64]:
        """When each is."""
        return self.first_s + self.period_s * np.arange(self.count, dtype=np.float64)


@dataclass(frozen=True)
class Missed:
    """A missed release: its response, and for how long of the time to its deadline its core was withheld."""

    release_s: float
    response_ms: float
    withheld_ms: float


@dataclass(frozen=True)
class Answers:
    """For each release, in order: wake-up lateness and response in seconds, and whether its command came too late."""

    lateness_s: NDArray[np.float64]
    response_s: NDArray[np.float64]
    missed: NDArray[np.bool_]


@dataclass(frozen=True)
class ControlFigures:
    """Of all releases of a set-up."""

    periods: int
    misses: int
    longest_run: int
    lateness_ms: Percentiles
    response_ms: Percentiles


def answers(grid: Grid, periods: Sequence[Period], deadline_s: float) -> Answers:
    """A release is answered by the first sign of life, and by the first command, that comes after it.

    So one that passed unseen waited for the next period's. It is missed unless a period of its own sent the command by
    the deadline. `periods` are in order and go on until the last release has been answered.
    """
    releases = grid.releases_s
    acted = np.array([period.acted_s for period in periods])
    awake = np.sort(np.concatenate([[period.started_s for period in periods], acted]))
    own = np.zeros(grid.count, np.bool_)
    for period in periods:
        number = round((period.release_s - grid.first_s) / grid.period_s)
        in_time = not period.missed and period.response_s <= deadline_s
        if in_time and 0 <= number < grid.count and abs(releases[number] - period.release_s) < _SAME_S:
            own[number] = True
    return Answers(_after(releases, awake) - releases, _after(releases, acted) - releases, ~own)


def missed_releases(grid: Grid, found: Answers, stalls: Sequence[Stall], deadline_s: float) -> list[Missed]:
    """Each missed release of a slice, with what stalls of its core took of the time that it had."""
    missed = []
    for at in np.nonzero(found.missed)[0].tolist():
        release = float(grid.releases_s[at])
        withheld = withheld_s(stalls, release, release + deadline_s)
        missed.append(Missed(release, float(found.response_s[at]) * 1e3, withheld * 1e3))
    return missed


def control_figures(found: Sequence[Answers]) -> ControlFigures:
    """Of several slices, one after the other."""
    counter = MissCounter()
    for each in found:
        for missed in each.missed.tolist():
            counter.add(missed)
    counts = counter.counts()
    lateness = [value for each in found for value in each.lateness_s.tolist()]
    response = [value for each in found for value in each.response_s.tolist()]
    return ControlFigures(
        counts.periods, counts.misses, counts.longest_run, percentiles_ms(lateness), percentiles_ms(response)
    )


def _after(releases: NDArray[np.float64], instants: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each release the first of ascending `instants` that is not before it; inf where there is none."""
    padded = np.append(instants, np.inf)
    return np.asarray(padded[np.searchsorted(instants, releases - 1e-9)])
