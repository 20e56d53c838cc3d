"""What follows a hidden state: the chosen token, and the tokens that the grammar then forces."""

from __future__ import annotations

import numpy as np

from premotor_runtime.engine.sampling import choose, log_softmax
from premotor_runtime.engine.sequence import Sequence
from premotor_runtime.models.packed import Floats
from premotor_runtime.runners.protocol import ModelRunner


class Decoder:
    """Extends sequences; `end_token_ids` end any output."""

    def __init__(self, runner: ModelRunner, end_token_ids: tuple[int, ...]) -> None:
        self._runner = runner
        self._ends = frozenset(end_token_ids)

    def extend(self, sequence: Sequence, hidden: Floats) -> None:
        """Choose the token after `hidden` (hidden_size,), then what is forced; sets the finish reason at an end."""
        matcher = sequence.matcher
        ids = None if matcher is None else matcher.allowed()
        if matcher is not None and (matcher.error or ids is None or not len(ids)):
            self._fail(sequence, matcher.error or "the grammar allows no token")
            return
        logits = self._runner.logits(hidden[None], ids)[0]
        if not np.isfinite(logits).all():
            self._fail(sequence, "the model's logits are not finite; its weights or adapter are damaged")
            return
        index = choose(logits, sequence.request.sampling, sequence.random)
        token = index if ids is None else int(ids[index])
        self._take(sequence, token, forced=False, logprob=float(log_softmax(logits)[index]))
        self.take_forced(sequence)

    def take_forced(self, sequence: Sequence) -> None:
        """Append every token that the grammar leaves no choice about; the model reads them together in a later step."""
        while sequence.finish_reason is None and sequence.matcher is not None:
            if sequence.matcher.complete:
                sequence.finish_reason = "stop"
                return
            forced = sequence.matcher.forced() or _only(sequence.matcher.allowed())
            if not forced:
                return
            for token in forced:
                if sequence.finish_reason is None:
                    self._take(sequence, token, forced=True, logprob=0.0)

    def _take(self, sequence: Sequence, token: int, *, forced: bool, logprob: float) -> None:
        if token in self._ends or token in sequence.request.stop_token_ids:
            sequence.finish_reason = "stop"
            return
        sequence.append(token, forced, logprob)
        matcher = sequence.matcher
        if matcher is not None and not matcher.accept(token):
            self._fail(sequence, matcher.error or f"the grammar refused token {token}")
        elif len(sequence.output) >= sequence.request.max_tokens:
            complete = matcher is not None and matcher.complete
            sequence.finish_reason = "stop" if complete else "length"

    def _fail(self, sequence: Sequence, reason: str) -> None:
        sequence.error = reason
        sequence.finish_reason = "error"


def _only(ids: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> list[int]:
    return [int(ids[0])] if len(ids) == 1 else []
