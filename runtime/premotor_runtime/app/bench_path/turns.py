"""Times of several things taken in turns, so that what disturbs the machine disturbs them all."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from statistics import median

_SEED = 0


def _nothing(name: str) -> None:
    pass


def in_turns(
    runs: Mapping[str, Callable[[], object]],
    rounds: int,
    untimed: int = 1,
    prepare: Callable[[str], None] = _nothing,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Milliseconds of each, once a round, after `untimed` rounds that are not kept.

    The order is drawn anew each round, or a disturbance that comes as regularly as the rounds would always meet the
    same ones. `prepare(name)` is called before each run and is not timed.
    """
    times: dict[str, list[float]] = {name: [] for name in runs}
    order, drawn = list(runs), random.Random(_SEED)  # noqa: S311 - nothing secret
    for number in range(untimed + rounds):
        drawn.shuffle(order)
        for name in order:
            prepare(name)
            began = clock()
            runs[name]()
            took = (clock() - began) * 1e3
            if number >= untimed:
                times[name].append(took)
    return times


def median_ms(times: Mapping[str, list[float]]) -> dict[str, float]:
    """The median of each."""
    return {name: median(each) for name, each in times.items()}
