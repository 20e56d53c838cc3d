"""A request, its life, and what is reported when it ends.

WAITING -> RUNNING -> SCORING -> FINISHED; a preempted request goes from RUNNING back to WAITING and keeps its output;
SCORING is skipped unless full log probabilities were asked for; FINISHED can be reached from everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

from premotor_runtime.engine.sampling import GREEDY, SamplingParams

FinishReason = Literal["stop", "length", "cancelled", "error"]


class RequestState(Enum):
    """Where a request is in its life."""

    WAITING = auto()
    RUNNING = auto()
    SCORING = auto()
    FINISHED = auto()


_ALLOWED = {
    RequestState.WAITING: {RequestState.RUNNING, RequestState.FINISHED},
    RequestState.RUNNING: {RequestState.WAITING, RequestState.SCORING, RequestState.FINISHED},
    RequestState.SCORING: {RequestState.FINISHED},
    RequestState.FINISHED: set(),
}


def transition(current: RequestState, following: RequestState) -> RequestState:
    """`following`, when it may come after `current`; raises ValueError otherwise."""
    if following not in _ALLOWED[current]:
        raise ValueError(f"a request cannot go from {current.name} to {following.name}")
    return following


@dataclass(frozen=True)
class Request:
    """What is asked of the engine.

    `prompt` are token ids; at most `max_tokens` follow, under `grammar` (Lark) where given. `stop_token_ids` end the
    output as the end of sequence does, and are not part of it. `full_logprobs` adds, for every output token the model
    was run before, its log probability over the whole vocabulary, at the cost of one pass over the output matrix.
    """

    request_id: str
    prompt: tuple[int, ...]
    max_tokens: int
    grammar: str | None = None
    stop_token_ids: tuple[int, ...] = ()
    sampling: SamplingParams = GREEDY
    full_logprobs: bool = False


@dataclass(frozen=True)
class OutputToken:
    """One token of the output, with the model's own log probabilities (temperature 1) of it.

    `logprob_allowed`: among the tokens that the grammar allowed (0.0 for a forced one, the only one allowed).
    `logprob_full`: among the whole vocabulary, before the grammar's mask; None where it was not asked for, or where
    nothing made the model run over the token before it.
    """

    token: int
    forced: bool
    logprob_allowed: float
    logprob_full: float | None = None


@dataclass(frozen=True)
class RequestOutput:
    """A finished request. Times are seconds of the engine's clock.

    `forward_passes` are the steps in which the model ran for it; `cached_tokens` of its prompt were found again.
    `ttft_s` runs from `add` to the first output token, `decode_s` from there to the last; both 0 without output.
    """

    request_id: str
    tokens: tuple[OutputToken, ...]
    finish_reason: FinishReason
    error: str | None
    prompt_tokens: int
    cached_tokens: int
    forward_passes: int
    preemptions: int
    ttft_s: float
    decode_s: float

    @property
    def token_ids(self) -> tuple[int, ...]:
        """The output's ids."""
        return tuple(token.token for token in self.tokens)

    @property
    def output_tokens(self) -> int:
        """Length of the output, forced tokens included."""
        return len(self.tokens)

    @property
    def forced_tokens(self) -> int:
        """How many tokens the grammar decided alone."""
        return sum(token.forced for token in self.tokens)
