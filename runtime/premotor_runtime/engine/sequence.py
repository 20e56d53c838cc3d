"""A request while the engine works on it: tokens so far, how many of them are computed, where its memory is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from premotor_runtime.engine.grammar import GrammarMatcher
from premotor_runtime.engine.kv_cache import BlockTable
from premotor_runtime.engine.request import (
    FinishReason,
    OutputToken,
    Request,
    RequestOutput,
    RequestState,
    transition,
)
from premotor_runtime.models.packed import Floats


@dataclass
class Sequence:
    """Mutable, owned by one engine. `tokens` is prompt and output; `tokens[:computed]` have keys and values.

    `hidden[i]` is the hidden state that output token i was (or could have been) chosen from, kept only for requests
    that want full log probabilities.
    """

    request: Request
    arrived: float
    matcher: GrammarMatcher | None
    random: np.random.Generator
    tokens: list[int]
    state: RequestState = RequestState.WAITING
    computed: int = 0
    table: BlockTable = field(default_factory=BlockTable)
    output: list[OutputToken] = field(default_factory=list)
    hidden: dict[int, Floats] = field(default_factory=dict)
    reported: int = 0
    cached_tokens: int = 0
    forward_passes: int = 0
    preemptions: int = 0
    first_token_at: float | None = None
    last_token_at: float = 0.0
    finish_reason: FinishReason | None = None
    error: str | None = None

    @property
    def pending(self) -> int:
        """Tokens that the model has not seen."""
        return len(self.tokens) - self.computed

    @property
    def decoding(self) -> bool:
        """Whether the whole prompt has been computed."""
        return self.computed >= len(self.request.prompt)

    @property
    def reusable(self) -> int:
        """How many leading positions may come from the prefix cache: the hidden states after them are still needed."""
        if not self.request.full_logprobs:
            return len(self.tokens) - 1
        known = next(i for i in range(len(self.output) + 1) if i not in self.hidden)
        return len(self.request.prompt) - 1 + known

    def move(self, following: RequestState) -> None:
        """Change state; raises ValueError for a change that the life of a request does not know."""
        self.state = transition(self.state, following)

    def wanted(self, count: int) -> list[int]:
        """Which of the next `count` pending tokens' hidden states are needed, as indices within them."""
        stop = self.computed + count
        if not self.request.full_logprobs:
            return []
        start = max(self.computed, len(self.request.prompt) - 1)
        return [at - self.computed for at in range(start, stop) if self._output_index(at) not in self.hidden]

    def keep_hidden(self, wanted: Iterable[int], hidden: Floats) -> None:
        """Keep what `wanted` asked for; to be called before `computed` moves on."""
        if self.request.full_logprobs:
            for at, state in zip(wanted, hidden, strict=True):
                self.hidden[self._output_index(self.computed + at)] = state

    def append(self, token: int, forced: bool, logprob_allowed: float) -> None:
        """Add an output token."""
        self.tokens.append(token)
        self.output.append(OutputToken(token, forced, logprob_allowed))

    def take_fresh(self) -> tuple[int, ...]:
        """The ids of the output since the last call."""
        fresh = tuple(token.token for token in self.output[self.reported :])
        self.reported = len(self.output)
        return fresh

    def stamp(self, now: float) -> None:
        """Note when the output so far existed; the first call with output fixes the time to first token."""
        if self.output:
            self.first_token_at = now if self.first_token_at is None else self.first_token_at
            self.last_token_at = now

    def result(self) -> RequestOutput:
        """The report on a finished sequence."""
        first = self.first_token_at
        return RequestOutput(
            request_id=self.request.request_id,
            tokens=tuple(self.output),
            finish_reason=self.finish_reason or "error",
            error=self.error,
            prompt_tokens=len(self.request.prompt),
            cached_tokens=self.cached_tokens,
            forward_passes=self.forward_passes,
            preemptions=self.preemptions,
            ttft_s=0.0 if first is None else first - self.arrived,
            decode_s=0.0 if first is None else self.last_token_at - first,
        )

    def _output_index(self, position: int) -> int:
        return position + 1 - len(self.request.prompt)
