"""What follows a hidden state: the chosen token, and the tokens that the grammar then forces."""

from __future__ import annotations

import numpy as np

from premotor_runtime.engine.sampling import choose, log_softmax
from premotor_runtime.engine.sequence import Sequence
from premotor_runtime.models.embedding import Ids
from premotor_runtime.runners.protocol import ChunkOutput, Pick


class Decoder:
    """Extends sequences; `end_token_ids` end any output."""

    def __init__(self, end_token_ids: tuple[int, ...]) -> None:
        self._ends = frozenset(end_token_ids)

    def ask(self, sequence: Sequence) -> tuple[Pick, Ids | None]:
        """What the runner is to find out after the last token of `sequence`: how to pick, and among which ids."""
        ids = None if sequence.matcher is None else sequence.matcher.allowed()
        return ("greedy" if sequence.request.sampling.temperature == 0.0 else "logits"), ids

    def extend(self, sequence: Sequence, ids: Ids | None, output: ChunkOutput) -> None:
        """Append the token that `output` says among `ids`, then what is forced; sets the finish reason at an end."""
        matcher = sequence.matcher
        if matcher is not None and (matcher.error or ids is None or not len(ids)):
            self._fail(sequence, matcher.error or "the grammar allows no token")
            return
        token, logprob = output.token, output.logprob
        if output.logits is not None and np.isfinite(output.logits).all():
            index = choose(output.logits, sequence.request.sampling, sequence.random)
            token, logprob = index if ids is None else int(ids[index]), float(log_softmax(output.logits)[index])
        if token < 0:
            self._fail(sequence, "the model's logits are not finite; its weights or adapter are damaged")
            return
        self._take(sequence, token, forced=False, logprob=logprob)
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
