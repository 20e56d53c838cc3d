"""Making what was said already less likely: repetition, presence and frequency penalties."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from premotor_runtime.engine.answers.sampling import SamplingParams
from premotor_runtime.models.embedding import Ids
from premotor_runtime.models.packed import Floats


class Penalties:
    """The distinct tokens of one sequence so far, with how often each is in the output.

    Repetition (Keskar et al. 2019, as in transformers and vLLM): the logit of a token in prompt or output is divided by
    the penalty when positive, multiplied when negative. Presence and frequency (OpenAI) look at the output alone:
    logit -= frequency * count + presence * (count > 0).
    """

    def __init__(self, params: SamplingParams, prompt: Sequence[int]) -> None:
        self._params = params
        self._ids: Ids = np.unique(np.asarray(prompt, np.int64))
        self._counts: Ids = np.zeros(len(self._ids), np.int64)

    def copy(self) -> Penalties:
        """An independent copy."""
        twin = copy.copy(self)
        twin._counts = self._counts.copy()
        return twin

    def note(self, token: int) -> None:
        """Count an output token."""
        at = int(np.searchsorted(self._ids, token))
        if at == len(self._ids) or self._ids[at] != token:
            self._ids = np.insert(self._ids, at, token)
            self._counts = np.insert(self._counts, at, 0)
        self._counts[at] += 1

    def apply(self, logits: Floats, ids: Ids | None) -> Floats:
        """A copy of `logits` with the penalties; `ids` (ascending) are the tokens they belong to, None for all."""
        scores: Floats = logits.copy()
        places, counts = self._ids, self._counts
        if ids is not None:
            places = np.searchsorted(ids, self._ids)
            known = ids[np.minimum(places, len(ids) - 1)] == self._ids
            places, counts = places[known], counts[known]
        seen, penalty = scores[places], np.float32(self._params.repetition_penalty)
        seen = np.where(seen > 0, seen / penalty, seen * penalty)
        seen -= self._params.frequency_penalty * counts + self._params.presence_penalty * (counts > 0)
        scores[places] = seen
        return scores
