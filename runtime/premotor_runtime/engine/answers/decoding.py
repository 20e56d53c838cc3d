"""What follows a hidden state: the chosen token, and the tokens that the grammar then forces."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from premotor_runtime.engine.answers.drafting import Drafter
from premotor_runtime.engine.answers.output import Answer
from premotor_runtime.engine.answers.sampling import choose, likeliest, log_normalizer
from premotor_runtime.engine.request import FinishReason
from premotor_runtime.engine.sequence import Sequence
from premotor_runtime.models.embedding import Ids
from premotor_runtime.models.packed import Floats
from premotor_runtime.models.tokenizer import Tokenizer
from premotor_runtime.runners.protocol import ChunkOutput, Pick

Top = tuple[tuple[int, float], ...]
Logits = Callable[[Floats, Ids], Floats]


class Decoder:
    """Extends sequences. The tokenizer's end-of-sequence tokens end any output that does not ignore them."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._drafter = Drafter()
        self._ends = frozenset(tokenizer.eos_token_ids)

    def ask(self, sequence: Sequence) -> tuple[Pick, Ids | None]:
        """What the runner is to find out after the last token of `sequence`: how to pick, and among which ids.

        Logits come to Python only where they are needed: for sampling, penalties, top log probabilities, or while an
        end must not be chosen yet.
        """
        ids = self._choices(sequence)
        greedy = self._simple(sequence) or (ids is not None and len(ids) == 1)
        return ("greedy" if greedy else "logits"), ids

    def is_plain(self, sequence: Sequence) -> bool:
        """Whether each next token is the likeliest of all, and nothing but its coming is to be noted."""
        request = sequence.request
        looked_at = sequence.matcher is not None or request.full_logprobs
        return not (looked_at or sequence.twins or sequence.draft) and self._simple(sequence)

    def draft(self, sequence: Sequence) -> list[int]:
        """What may follow the tokens of `sequence`, guessed; empty where greedy choice is not all that decides."""
        request, answer = sequence.request, self._answer(sequence)
        if sequence.matcher is None or not request.draft_tokens or not request.jump_forward or sequence.twins:
            return []
        if not self._simple(sequence):
            return []
        if answer.drafted_at != len(sequence.tokens):
            limit = min(request.draft_tokens, request.max_tokens - len(sequence.output) - 1)
            answer.drafted_at = len(sequence.tokens)
            answer.draft = self._drafter.propose(sequence.matcher, sequence.tokens, len(request.prompt), limit)
        return answer.draft

    def verify(self, sequence: Sequence, draft: list[int], hidden: Floats, logits: Logits) -> int:
        """Append what greedy choice says after the last token and after each token of `draft`, as far as they agree.

        `hidden` (1 + len(draft), hidden_size) belong to the last token and the draft; `logits` gives those of some ids.
        Returns how many tokens of `draft` became output: so many more have been computed.
        """
        start, agreed = len(sequence.tokens), 0
        while sequence.finish_reason is None:
            ids = self._choices(sequence)
            picked = _greedy(hidden[agreed], ids, logits)
            self.extend(sequence, ids, picked)
            fresh = sequence.tokens[start + agreed :]
            common = _common(fresh, draft[agreed:])
            agreed += common
            if common < len(fresh) or not fresh:
                break
        return agreed

    def extend(self, sequence: Sequence, ids: Ids | None, output: ChunkOutput) -> None:
        """Append the token that `output` says among `ids`, then what is forced; sets the finish reason at an end."""
        matcher = sequence.matcher
        if matcher is not None and (matcher.error or ids is None or not len(ids)):
            self._fail(sequence, matcher.error or "the grammar allows no token")
            return
        token, logprob = output.token, output.logprob
        top: Top = ()
        if output.logits is not None and np.isfinite(output.logits).all():
            token, logprob, top = self._sample(sequence, ids, output.logits)
        if token < 0:
            self._fail(sequence, "the model's logits are not finite; its weights or adapter are damaged")
            return
        forced = ids is not None and len(ids) == 1
        self._take(sequence, token, forced=forced, logprob=0.0 if forced else logprob, top=top)
        self.take_forced(sequence)

    def take_forced(self, sequence: Sequence) -> None:
        """Append every token that the grammar leaves no choice about; the model reads them together in a later step.

        A request without jump-forward gets them one by one, each after a pass of its own (see `ask`).
        """
        self._answer(sequence)
        while sequence.finish_reason is None and sequence.matcher is not None:
            if sequence.matcher.complete:
                self._finish(sequence, "stop")
                return
            forced = sequence.matcher.forced() if sequence.request.jump_forward else []
            if not forced:
                return
            for token in forced:
                if sequence.finish_reason is None:
                    self._take(sequence, token, forced=True, logprob=0.0)

    def _answer(self, sequence: Sequence) -> Answer:
        if sequence.answer is None:
            sequence.answer = Answer(sequence.request, self._tokenizer)
        return sequence.answer

    def _choices(self, sequence: Sequence) -> Ids | None:
        if sequence.matcher is None:
            return None
        forced = [] if sequence.request.jump_forward else sequence.matcher.forced()[:1]
        return np.array(forced, np.int64) if forced else sequence.matcher.allowed()

    def _sample(self, sequence: Sequence, ids: Ids | None, logits: Floats) -> tuple[int, float, Top]:
        """The token, its log probability among `ids`, and the likeliest ones; both before penalties and filters."""
        sampling, answer = sequence.request.sampling, self._answer(sequence)
        scores = logits if answer.penalties is None else answer.penalties.apply(logits, ids)
        if self._too_short(sequence):
            scores = self._without_ends(sequence, ids, scores)
        index, total = choose(scores, sampling, sequence.random), log_normalizer(logits)
        best = likeliest(logits, sampling.logprobs) if sampling.logprobs else ()
        top = tuple((_token(at, ids), float(logits[at]) - total) for at in best)
        return _token(index, ids), float(logits[index]) - total, top

    def _simple(self, sequence: Sequence) -> bool:
        """Whether the likeliest of the allowed tokens is all there is to know."""
        sampling = sequence.request.sampling
        plain = sampling.temperature == 0.0 and not sampling.penalizes and not sampling.logprobs
        return plain and not self._too_short(sequence)

    def _too_short(self, sequence: Sequence) -> bool:
        return len(sequence.output) < sequence.request.min_tokens

    def _without_ends(self, sequence: Sequence, ids: Ids | None, scores: Floats) -> Floats:
        """`scores` with the tokens that end the output made impossible, unless nothing else is left."""
        ends = np.array(sorted(self._ends.union(sequence.request.stop_token_ids)), np.int64)
        places = ends if ids is None else np.flatnonzero(np.isin(ids, ends))
        masked = scores.copy()
        masked[places] = -np.inf
        return masked if np.isfinite(masked).any() else scores

    def _take(self, sequence: Sequence, token: int, *, forced: bool, logprob: float, top: Top = ()) -> None:
        request, answer, matcher = sequence.request, self._answer(sequence), sequence.matcher
        if token in request.stop_token_ids:
            answer.stop_reason = token
            self._finish(sequence, "stop")
            return
        if token in self._ends and not request.ignore_eos:
            self._finish(sequence, "stop")
            return
        sequence.append(token, forced, logprob, top)
        if answer.take(token):
            self._finish(sequence, "stop")
        elif matcher is not None and not matcher.accept(token):
            self._fail(sequence, matcher.error or f"the grammar refused token {token}")
        elif len(sequence.output) >= request.max_tokens:
            self._finish(sequence, "stop" if matcher is not None and matcher.complete else "length")

    def _finish(self, sequence: Sequence, reason: FinishReason) -> None:
        """End the output; held-back text may still show that a stop string had been reached."""
        sequence.finish_reason = "stop" if self._answer(sequence).finish() else reason
        if sequence.matcher is not None:
            self._drafter.learn(sequence.tokens, len(sequence.request.prompt))

    def _fail(self, sequence: Sequence, reason: str) -> None:
        sequence.error = reason
        sequence.finish_reason = "error"


def _greedy(hidden: Floats, ids: Ids | None, logits: Logits) -> ChunkOutput:
    """What a runner's pick would say for one hidden state."""
    if ids is None or not len(ids):
        return ChunkOutput(hidden)
    scores = logits(hidden[None], ids)[0]
    best = int(np.argmax(scores))
    if not np.isfinite(scores).all():
        return ChunkOutput(hidden)
    return ChunkOutput(hidden, int(ids[best]), float(scores[best]) - log_normalizer(scores))


def _common(first: list[int], second: list[int]) -> int:
    """How many leading tokens are the same."""
    return next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )


def _token(index: int, ids: Ids | None) -> int:
    return int(index) if ids is None else int(ids[index])
