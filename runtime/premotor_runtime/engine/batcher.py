"""Who gets how many tokens of a step. Pure: sizes in, sizes out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from premotor_runtime.engine.cost.step_load import NOTHING, AttentionShape, StepLoad


@dataclass(frozen=True)
class StepBudget:
    """Bounds of one step, for the scheduler to set; names as in vLLM.

    `max_num_batched_tokens` go through the model, of at most `max_num_seqs` requests; `max_scored_rows` rows of the
    output matrix are gone through for requests that asked for full log probabilities. `time_budget_s` is how long the
    step may take from the call of `step` to its return; None for as long as it needs, zero or less for not at all.
    `num_scheduler_steps` tokens of each answer may come from one step where none of them has to be looked at before the
    next (greedy choice, no grammar): less work around the model, but a step that is so much longer.

    With `may_pause` a step is not made smaller so as to fit into its time. Its forward pass is paused where time runs
    out, and the next step goes on with it: whole batches, however short the time. For runners that can (the native
    one); with others, the step is made to fit.
    """

    max_num_batched_tokens: int = 256
    max_num_seqs: int = 8
    max_scored_rows: int = 65536
    time_budget_s: float | None = None
    num_scheduler_steps: int = 1
    may_pause: bool = False

    def __post_init__(self) -> None:
        sizes = (self.max_num_batched_tokens, self.max_num_seqs, self.max_scored_rows, self.num_scheduler_steps)
        if min(sizes) < 1:
            raise ValueError(f"a step needs room for one token, one sequence, one row and one pass; given {self}")
        if self.time_budget_s is not None and math.isnan(self.time_budget_s):
            raise ValueError("time_budget_s is not a number; give seconds, or None for no limit")


class Pending(Protocol):
    """A running request as the batcher sees it.

    `pending` tokens wait for the model and follow `computed` ones; `decoding` once the prompt has been computed.
    `masked` where a grammar restricts the choice. A lower `priority` is more urgent.
    """

    @property
    def pending(self) -> int: ...  # noqa: D102
    @property
    def computed(self) -> int: ...  # noqa: D102
    @property
    def decoding(self) -> bool: ...  # noqa: D102
    @property
    def priority(self) -> int: ...  # noqa: D102
    @property
    def masked(self) -> bool: ...  # noqa: D102


Item = TypeVar("Item", bound=Pending)
Fits = Callable[[StepLoad], bool]


@dataclass(frozen=True)
class StepPlan(Generic[Item]):
    """`shares`: tokens for each request of the step; `deferred`: requests that the time left is too short for."""

    shares: list[tuple[Item, int]]
    deferred: list[Item]
    load: StepLoad


def plan_step(
    waiting: Sequence[Item], budget: StepBudget, shape: AttentionShape, fits: Fits | None = None
) -> StepPlan[Item]:
    """Tokens for each request of the step, the more urgent priority first, then in the given order in two classes.

    Decoding goes first among equals, so that a long prompt never stalls a running answer; prompts share what is left,
    in chunks. The sum is at most the token budget, and not zero while anything is pending, unless `fits` (whether a
    load ends in time; larger loads fit no better) refuses even one token.
    """
    shares = _by_tokens(waiting, budget)
    load = NOTHING.plus_all(shares, shape)
    if fits is None or not shares or fits(load):
        return StepPlan(shares, [], load)
    kept: list[tuple[Item, int]] = []
    deferred: list[Item] = []
    load = NOTHING
    for item, share in shares:
        count = _largest(share, lambda tokens, item=item, load=load: fits(load.plus(item, tokens, shape)))  # type: ignore[misc]
        if count:
            kept.append((item, count))
            load = load.plus(item, count, shape)
        else:
            deferred.append(item)
    return StepPlan(kept, deferred, load)


def _by_tokens(waiting: Sequence[Item], budget: StepBudget) -> list[tuple[Item, int]]:
    shares: list[tuple[Item, int]] = []
    left = budget.max_num_batched_tokens
    ordered = sorted(waiting, key=_class) if len(waiting) > 1 else waiting
    for item in ordered:
        if left == 0 or len(shares) == budget.max_num_seqs:
            break
        share = item.pending
        if share > left:
            share = left
        if share > 0:
            shares.append((item, share))
            left -= share
    return shares


def _class(item: Pending) -> tuple[int, bool]:
    return item.priority, not item.decoding


def _largest(most: int, fits: Callable[[int], bool]) -> int:
    """The largest count in [0, most] that fits, by bisection."""
    if fits(most):
        return most
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
