"""From samples to figures: medians, and ratios taken within each round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from premotor_runtime.bench.case import Case, Contestant, Samples


@dataclass(frozen=True)
class Ratio:
    """How many times as fast `ours` is as `peer`: the median of the rounds' ratios."""

    ours: Contestant
    peer: Contestant
    case: Case
    ratio: float
    rounds: tuple[float, ...]


def speed(values: Sequence[float | None]) -> float | None:
    """The median of what was measured; None without any."""
    measured = [value for value in values if value is not None]
    return median(measured) if measured else None


def ratio(samples: Samples, ours: Contestant, peer: Contestant, case: Case) -> Ratio | None:
    """None when there is no round in which both were measured.

    The two neighbours in time are divided first: what slows the machine for a while cancels out.
    """
    pairs = zip(samples.of(ours, case), samples.of(peer, case), strict=False)
    rounds = tuple(mine / other for mine, other in pairs if mine is not None and other)
    return Ratio(ours, peer, case, median(rounds), rounds) if rounds else None
