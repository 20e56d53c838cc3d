"""How well timed steps keep their time, for benchmarks: a mixed load on an engine, step after step."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request


@dataclass(frozen=True)
class OverrunReport:
    """`ratios`: duration / time budget of every step after the warm-up in which the model ran, ascending.

    `num_idle_steps` are those in which nothing fitted although there was work.
    """

    ratios: tuple[float, ...]
    num_steps: int
    num_idle_steps: int
    num_tokens: int

    def percentile(self, share: float) -> float:
        """The ratio that `share` of the steps stay at or below; 0 without steps."""
        return self.ratios[min(len(self.ratios) - 1, int(share * len(self.ratios)))] if self.ratios else 0.0

    @property
    def share_over(self) -> float:
        """The share of steps that took more than 1.1 times their time."""
        return sum(ratio > 1.1 for ratio in self.ratios) / max(1, len(self.ratios))


def measure_overruns(
    engine: Engine,
    time_budgets_s: Sequence[float],
    num_steps: int,
    warm_up_steps: int = 0,
    prompt_lengths: Sequence[int] = (8, 60, 200),
    max_tokens: int = 40,
    concurrency: int = 6,
    seed: int = 0,
) -> OverrunReport:
    """Keep `concurrency` requests in `engine` and step it with time budgets drawn from `time_budgets_s`.

    The engine should be calibrated, or the warm-up long enough. Requests still running at the end are cancelled.
    """
    drawn, names = random.Random(seed), (f"overruns-{number}" for number in itertools.count())  # noqa: S311 - a load
    alive: set[str] = set()
    ratios, idle, tokens = [], 0, 0
    for number in range(warm_up_steps + num_steps):
        while len(alive) < concurrency:
            alive.add(name := next(names))
            prompt = tuple(drawn.randrange(engine.limits.vocab_size) for _ in range(drawn.choice(prompt_lengths)))
            engine.add(Request(name, prompt, drawn.randint(1, max_tokens)))
        seconds = drawn.choice(time_budgets_s)
        result = engine.step(StepBudget(time_budget_s=seconds))
        alive -= {output.request_id for output in result.finished}
        if number >= warm_up_steps:
            tokens += result.num_batched_tokens
            idle += not result.num_batched_tokens
            ratios += [result.duration_s / seconds] if result.num_batched_tokens else []
    for name in alive:
        engine.cancel(name)
    engine.step(StepBudget())
    return OverrunReport(tuple(sorted(ratios)), num_steps, idle, tokens)
