"""Who gets how many tokens of a step. Pure: sizes in, sizes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class StepBudget:
    """Bounds of one step, for the scheduler to set; names as in vLLM.

    `max_num_batched_tokens` go through the model; `max_scored_rows` rows of the output matrix are gone through for
    requests that asked for full log probabilities.
    """

    max_num_batched_tokens: int = 256
    max_num_seqs: int = 8
    max_scored_rows: int = 65536

    def __post_init__(self) -> None:
        if min(self.max_num_batched_tokens, self.max_num_seqs, self.max_scored_rows) < 1:
            raise ValueError(f"a step needs room for one token, one sequence and one row; given {self}")


@dataclass(frozen=True)
class Pending:
    """A running request's tokens that wait for the model; `decoding` once its prompt has been computed."""

    request_id: str
    tokens: int
    decoding: bool


def plan_step(waiting: Sequence[Pending], budget: StepBudget) -> dict[str, int]:
    """Tokens for each request of the step, in the given (arrival) order within two classes.

    Decoding goes first, so that a long prompt never stalls a running answer; prompts share what is left, in chunks.
    Requests that get nothing are left out. The sum is at most the budget, and not zero while anything is pending.
    """
    plan: dict[str, int] = {}
    left = budget.max_num_batched_tokens
    for item in sorted(waiting, key=lambda pending: not pending.decoding):
        if left == 0 or len(plan) == budget.max_num_seqs:
            break
        share = min(item.tokens, left)
        if share > 0:
            plan[item.request_id] = share
            left -= share
    return plan
