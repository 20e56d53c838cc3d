"""A request, its life, and what is reported when it ends.

WAITING -> RUNNING -> SCORING -> FINISHED; a preempted request goes from RUNNING back to WAITING and keeps its output;
SCORING is skipped unless full log probabilities were asked for; FINISHED can be reached from everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

from premotor_runtime.engine.answers.sampling import GREEDY, SamplingParams
from premotor_runtime.engine.errors import RequestError
from premotor_runtime.engine.grammars.kinds import Grammar
from premotor_runtime.engine.ranges import check_count, check_number

MAX_SAMPLES = 128
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
    """What is asked of the engine. Raises RequestError when a value is out of range.

    `prompt` are token ids; at most `max_tokens` follow, under `grammar` where given (a plain string is Lark).

    The output ends at the end-of-sequence token (unless `ignore_eos`) or one of `stop_token_ids`, neither of which is
    part of it, or with one of the strings `stop`, which is found wherever it lies across tokens: the text ends before
    it, while the tokens that spelt it stay, as in vLLM. None of these ends the output before `min_tokens`; the end of a
    grammar does.

    `stream` has each step report the new text (`StepResult.text`), never half a character nor a part of a stop string.
    `jump_forward` False sends each token that the grammar forces through the model in a step of its own, which gives
    the same output later: it is there to be compared with. With `draft_tokens`, while few requests run, a greedy answer
    under a grammar is guessed so far ahead, and the model checks the guesses in one pass: fewer passes for the same
    output, which pays where a pass over a few tokens takes hardly longer than one over a single token.

    `full_logprobs` adds, for every output token the model was run before, its log probability over the whole
    vocabulary, at the cost of one pass over the output matrix.

    `n` answers are sampled to the one prompt, the i-th as with seed + i alone. A lower `priority` is more urgent, as in
    vLLM: it may displace a running request; `deadline` (seconds on the engine's clock) only orders requests of equal
    priority. Prompts of different `salt` (one a tenant) or `adapter` (a LoRA adapter that the runner was loaded with)
    never share cached memory.
    """

    request_id: str
    prompt: tuple[int, ...]
    max_tokens: int
    grammar: Grammar | str | None = None
    stop_token_ids: tuple[int, ...] = ()
    sampling: SamplingParams = GREEDY
    full_logprobs: bool = False
    n: int = 1
    priority: int = 0
    deadline: float | None = None
    salt: str = ""
    adapter: str | None = None
    stop: tuple[str, ...] = ()
    min_tokens: int = 0
    ignore_eos: bool = False
    stream: bool = False
    jump_forward: bool = True
    draft_tokens: int = 0

    def __post_init__(self) -> None:
        if self.max_tokens == 0:
            raise RequestError("a request needs room for at least one output token; max_tokens is 0; give 1 or more")
        check_count("max_tokens", self.max_tokens, 1, 2**31 - 1, "give how many tokens may follow the prompt")
        check_count("min_tokens", self.min_tokens, 0, self.max_tokens, "it cannot exceed max_tokens")
        check_count("n", self.n, 1, MAX_SAMPLES, "it is the number of answers")
        check_count("draft_tokens", self.draft_tokens, 0, 64, "0 guesses nothing")
        check_count("priority", self.priority, -(2**31), 2**31 - 1, "0 is normal, lower is more urgent")
        if self.deadline is not None:
            check_number("deadline", self.deadline, -1e18, 1e18, "give seconds on the engine's clock, or None")
        if isinstance(self.stop, str) or not all(isinstance(text, str) and text for text in self.stop):
            raise RequestError(f"stop must be a tuple of strings, none of them empty; given {self.stop!r}")
        if self.ignore_eos and self.grammar is not None:
            raise RequestError("ignore_eos and a grammar exclude each other: leave one of them out")


@dataclass(frozen=True)
class OutputToken:
    """One token of the output, with the model's own log probabilities (temperature 1) of it.

    `logprob_allowed`: among the tokens that the grammar allowed (0.0 for a forced one, the only one allowed).
    `logprob_full`: among the whole vocabulary, before the grammar's mask; None where it was not asked for, or where
    nothing made the model run over the token before it. `top_logprobs`: the likeliest tokens that were allowed, with
    their log probabilities, best first, as many as `SamplingParams.logprobs` asked for.
    """

    token: int
    forced: bool
    logprob_allowed: float
    logprob_full: float | None = None
    top_logprobs: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class RequestOutput:
    """A finished request, or one of its `n` answers. Times are seconds of the engine's clock.

    `text` is the output without what a stop string cut off. `stop_reason` is the stop string or stop token that ended
    it; None for the end of sequence, the grammar's end, and every `finish_reason` but "stop".
    `forward_passes` are the steps in which the model ran for it; `cached_tokens` of its prompt were found again.
    `ttft_s` runs from `add` to the first output token, `decode_s` from there to the last; both 0 without output.
    `sample` counts the `n` answers to one prompt; `queue_s` runs from `add` to the first memory it got.
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
    sample: int = 0
    queue_s: float = 0.0
    text: str = ""
    stop_reason: int | str | None = None

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
