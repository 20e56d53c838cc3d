"""Timing a computation that is called again and again."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from premotor_accelerators.protocol import Profile


def latencies(work: Callable[[], None], runs: int, uncounted: int = 2) -> Profile:
    """Percentiles over `runs` calls, after `uncounted` ones that warm caches up."""
    if runs < 1:
        raise ValueError(f"runs is {runs}; it must be at least 1")
    for _ in range(uncounted):
        work()
    times = np.empty(runs)
    for i in range(runs):
        begin = time.perf_counter()
        work()
        times[i] = time.perf_counter() - begin
    p50, p99 = np.percentile(times, (50, 99)) * 1e3
    return Profile(runs, float(p50), float(p99), float(times.max() * 1e3))
