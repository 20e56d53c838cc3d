"""Measures of our engine as a server: continuous batching, prefix hits, time budgets."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from premotor_runtime.bench.case import Case
from premotor_runtime.bench.entrant import Entrant

REQUESTS = 64
STATIC_BATCH = 8
SHARED_TOKENS = 480
_PROMPT_TOKENS = 48
_OWN_TOKENS = 8
_HITS = 4
_SEED = 3
_BUDGETS = (1.5, 2.0, 3.0, 5.0, 8.0, 13.0, 20.0)


@dataclass(frozen=True)
class Batching:
    """Tokens a second that were asked for, one value a round.

    `static`: batches of eight, each run until its longest answer is complete, as `generate` runs a batch: the places of
    shorter answers go on computing. `leaving`: batches of eight as well, but answered requests leave the batch.
    """

    continuous: tuple[float, ...]
    static: tuple[float, ...]
    leaving: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """How many times as fast continuous is as static batching: the median of the rounds' ratios."""
        return median(one / other for one, other in zip(self.continuous, self.static, strict=True))

    @property
    def ratio_leaving(self) -> float:
        """The same against batches that answered requests leave."""
        return median(one / other for one, other in zip(self.continuous, self.leaving, strict=True))


@dataclass(frozen=True)
class PrefixHit:
    """Seconds to the first token, one value a round: the prompt new, and its first SHARED_TOKENS known."""

    cold_s: tuple[float, ...]
    hit_s: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """How many times as long the new prompt takes."""
        return median(cold / hit for cold, hit in zip(self.cold_s, self.hit_s, strict=True))


def mixed_requests(entrant: Entrant, count: int = REQUESTS) -> list[dict[str, Any]]:
    """Prompts of 48 tokens with 20 to 200 tokens of answer, the same lengths for everyone."""
    lengths = np.random.default_rng(_SEED).integers(20, 201, count)
    prompts = entrant.prompts(count, _PROMPT_TOKENS)
    return [{"prompt": prompt, "tokens": int(length)} for prompt, length in zip(prompts, lengths, strict=True)]


def measure_batching(entrant: Entrant, rounds: int, count: int = REQUESTS) -> Batching:
    """All requests at once, and eight at a time in both ways of `Batching`, in turns. Raises WorkerFailed."""
    ways = ("continuous", "static", "leaving")
    found: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds):
        for name in ways if number % 2 == 0 else reversed(ways):
            found[name].append(_batched(entrant, name, mixed_requests(entrant, count)))
    return Batching(*(tuple(found[name]) for name in ways))


def _batched(entrant: Entrant, way: str, requests: list[dict[str, Any]]) -> float:
    wanted = sum(request["tokens"] for request in requests)
    batch = len(requests) if way == "continuous" else STATIC_BATCH
    asked = padded(requests) if way == "static" else requests
    found = entrant.ask("batching", requests=asked, batch=batch, at_once=batch)
    return float(wanted / found["seconds"])


def padded(requests: list[dict[str, Any]], batch: int = STATIC_BATCH) -> list[dict[str, Any]]:
    """The requests with the longest answer of their batch for all of them."""
    groups = [requests[first : first + batch] for first in range(0, len(requests), batch)]
    longest = [max(request["tokens"] for request in group) for group in groups]
    return [request | {"tokens": most} for group, most in zip(groups, longest, strict=True) for request in group]


def versus(ours: Callable[[], float], peer: Callable[[], float], rounds: int) -> tuple[list[float], list[float]]:
    """Tokens a second of both, in turns."""
    mine, theirs = [], []
    for _ in range(rounds):
        mine.append(ours())
        theirs.append(peer())
    return mine, theirs


def measure_prefix(entrant: Entrant, rounds: int) -> PrefixHit:
    """Each round a new shared text; the first request computes it, the next ones find it. Raises WorkerFailed."""
    cold, hit = [], []
    for _ in range(rounds):
        shared = entrant.prompts(1, SHARED_TOKENS)[0]
        found = entrant.ask("prefix", shared=shared, own=entrant.prompts(1 + _HITS, _OWN_TOKENS))
        cold.append(float(found["cold"]))
        hit.append(median(found["hits"]))
    return PrefixHit(tuple(cold), tuple(hit))


def tok_s(found: dict[str, float]) -> float:
    """Tokens a second of a worker's answer."""
    return found["tokens"] / found["seconds"]


@dataclass(frozen=True)
class TimeBudget:
    """Steps that computed something under a time budget, and the shares by which they took longer (below 0: less)."""

    overruns: tuple[float, ...]
    tokens: int
    seconds: float

    @property
    def p99(self) -> float:
        """The overrun that at most one step in a hundred exceeds."""
        return quantile(self.overruns, 0.99)


@dataclass(frozen=True)
class TimeBudgets:
    """Both ways of keeping time budgets, `fitted` and `paused` (see `StepBudget`), and the bare `machine` beside."""

    fitted: TimeBudget
    paused: TimeBudget
    machine: TimeBudget


def measure_time_budget(entrant: Entrant, learning_steps: int = 600, measured_steps: int = 2400) -> TimeBudgets:
    """Mixed prompts and answers under budgets from one decode step to many. Raises WorkerFailed."""
    whole = entrant.prompts(1, SHARED_TOKENS)[0]
    alone = 1.0 / entrant.measure(Case("decode", 1), 16)
    budgets = [round(alone * factor, 6) for factor in _BUDGETS]
    requests = [{"prompt": whole, "tokens": 20}, *mixed_requests(entrant, 16)]
    found = entrant.ask(
        "budget", requests=requests, budgets_s=budgets, learning_steps=learning_steps, measured_steps=measured_steps
    )
    return TimeBudgets(*(_time_budget(found[way]) for way in ("fitted", "paused", "machine")))


def _time_budget(found: dict[str, Any]) -> TimeBudget:
    return TimeBudget(tuple(found["overruns"]), found["tokens"], found["seconds"])


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
