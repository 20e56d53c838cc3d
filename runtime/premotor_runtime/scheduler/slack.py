"""How long a step of a stream may take: the next release that shares its lane bounds it. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from premotor_runtime.engine.batcher import StepBudget

FREE = -1
"""A budget of as long as it takes."""


class Offer(NamedTuple):
    """A stream that has work, on its lane; times beside others. See `task.Stream`."""

    stream: int
    bounded: bool
    shortest_ns: int
    longest_ns: int
    margin_ns: int
    tolerance_ns: int


def step_ns(offer: Offer, now_ns: int, free_at_ns: int, next_release_ns: int | None) -> int | None:
    """The time for one step, submitted now: until the next release, less what it waits for and a margin.

    `free_at_ns` is when all that is submitted to the lane will have ended, `next_release_ns` the next release on it
    (None: nobody else uses it, and the step is `FREE`, as an unbounded one always is). None when even the shortest step
    would not fit.
    """
    if not offer.bounded or next_release_ns is None:
        return FREE
    left = max(0, next_release_ns - now_ns) + offer.tolerance_ns
    budget = left - max(0, free_at_ns - now_ns) - offer.margin_ns
    if budget < offer.shortest_ns:
        return None
    return budget if budget < offer.longest_ns else offer.longest_ns


def engine_budget(template: StepBudget, budget_ns: int, elapsed_ns: int = 0) -> StepBudget:
    """`template` with the time of a placement, less the `elapsed_ns` that passed since the decision."""
    if budget_ns == FREE:
        return replace(template, time_budget_s=None)
    return replace(template, time_budget_s=max(0, budget_ns - elapsed_ns) / 1e9)
