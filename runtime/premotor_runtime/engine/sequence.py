"""A request while the engine works on it: tokens so far, how many of them are computed, where its memory is."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from premotor_runtime.engine.answers.output import Answer
from premotor_runtime.engine.grammars.matcher import GrammarMatcher
from premotor_runtime.engine.kv.kv_cache import BlockTable
from premotor_runtime.engine.request import (
    FinishReason,
    OutputToken,
    Request,
    RequestOutput,
    RequestState,
    transition,
)
from premotor_runtime.models.packed import Floats

Rank = tuple[int, float, int, int]


@dataclass(eq=False)
class Sequence:
    """One answer to a request. Mutable, owned by one engine.

    `tokens` is prompt and output; `tokens[:computed]` have keys and values. `number` counts arrivals. `twins` more
    answers are to be split off once the prompt has been computed. `hidden[i]` is the hidden state that output token i
    was (or could have been) chosen from, kept only for requests that want full log probabilities.
    """

    request: Request
    arrived: float
    matcher: GrammarMatcher | None
    random: np.random.Generator
    tokens: list[int]
    number: int = 0
    sample: int = 0
    twins: int = 0
    answer: Answer | None = None
    state: RequestState = RequestState.WAITING
    computed: int = 0
    table: BlockTable = field(default_factory=BlockTable)
    output: list[OutputToken] = field(default_factory=list)
    hidden: dict[int, Floats] = field(default_factory=dict)
    reported: int = 0
    cached_tokens: int = 0
    forward_passes: int = 0
    preemptions: int = 0
    opened_at: float | None = None
    stamped: int = 0
    first_token_at: float | None = None
    last_token_at: float = 0.0
    finish_reason: FinishReason | None = None
    error: str | None = None
    draft: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        request = self.request
        deadline = math.inf if request.deadline is None else request.deadline
        self.prompt_length = len(request.prompt)
        self.priority = request.priority
        self.masked = request.grammar is not None
        self.rank: Rank = (request.priority, deadline, self.number, self.sample)
        self.key = request.request_id if request.n == 1 else f"{request.request_id}/{self.sample}"
        self.salt = f"{request.adapter or ''}\0{request.salt}"

    @property
    def pending(self) -> int:
        """Tokens that the model has not seen, those guessed for this step included."""
        return len(self.tokens) + len(self.draft) - self.computed

    @property
    def decoding(self) -> bool:
        """Whether the whole prompt has been computed."""
        return self.computed >= self.prompt_length

    @property
    def reusable(self) -> int:
        """How many leading positions may come from the prefix cache: the hidden states after them are still needed."""
        if not self.request.full_logprobs:
            return len(self.tokens) - 1
        known = next(i for i in range(len(self.output) + 1) if i not in self.hidden)
        return self.prompt_length - 1 + known

    def move(self, following: RequestState) -> None:
        """Change state; raises ValueError for a change that the life of a request does not know."""
        self.state = transition(self.state, following)

    def wanted(self, count: int) -> list[int]:
        """Which of the next `count` pending tokens' hidden states are needed, as indices within them."""
        if not self.request.full_logprobs:
            return []
        stop = self.computed + count
        start = max(self.computed, self.prompt_length - 1)
        return [at - self.computed for at in range(start, stop) if self._output_index(at) not in self.hidden]

    def keep_hidden(self, wanted: Iterable[int], hidden: Floats) -> None:
        """Keep what `wanted` asked for; to be called before `computed` moves on."""
        if self.request.full_logprobs:
            for at, state in zip(wanted, hidden, strict=True):
                self.hidden[self._output_index(self.computed + at)] = state

    def append(self, token: int, forced: bool, logprob_allowed: float, top: tuple[tuple[int, float], ...] = ()) -> None:
        """Add an output token."""
        self.tokens.append(token)
        self.output.append(OutputToken(token, forced, logprob_allowed, top_logprobs=top))

    def take_fresh(self) -> tuple[int, ...]:
        """The ids of the output since the last call."""
        fresh = tuple([token.token for token in self.output[self.reported :]])
        self.reported = len(self.output)
        return fresh

    def take_text(self) -> str:
        """The text since the last call that is safe to show; empty unless the request is streamed."""
        if not self.request.stream or self.answer is None:
            return ""
        return self.answer.take_text(finished=self.finish_reason is not None)

    def stamp(self, now: float) -> None:
        """Note that the output so far exists since `now`; the first call fixes the time to first token."""
        self.stamped = len(self.output)
        self.first_token_at = now if self.first_token_at is None else self.first_token_at
        self.last_token_at = now

    def twin(self, sample: int, table: BlockTable, computed: int) -> Sequence:
        """Another answer to the same prompt, with all that is known so far and a generator of its own."""
        matcher = None if self.matcher is None else self.matcher.copy()
        answer = None if self.answer is None else self.answer.copy()
        random = np.random.default_rng(self.request.sampling.seed + sample)
        return replace(
            self, sample=sample, twins=0, matcher=matcher, answer=answer, random=random, table=table, computed=computed,
            tokens=list(self.tokens), output=list(self.output), hidden=dict(self.hidden), reported=0,
            state=RequestState.WAITING, draft=[],
        )  # fmt: skip

    def result(self) -> RequestOutput:
        """The report on a finished sequence."""
        first = self.first_token_at
        return RequestOutput(
            request_id=self.request.request_id,
            tokens=tuple(self.output),
            finish_reason=self.finish_reason or "error",
            error=self.error,
            prompt_tokens=self.prompt_length,
            cached_tokens=self.cached_tokens,
            forward_passes=self.forward_passes,
            preemptions=self.preemptions,
            ttft_s=0.0 if first is None else first - self.arrived,
            decode_s=0.0 if first is None else self.last_token_at - first,
            sample=self.sample,
            queue_s=0.0 if self.opened_at is None else self.opened_at - self.arrived,
            text=self.answer.whole_text() if self.answer else "",
            stop_reason=self.answer.stop_reason if self.answer else None,
        )

    def _output_index(self, position: int) -> int:
        return position + 1 - self.prompt_length
