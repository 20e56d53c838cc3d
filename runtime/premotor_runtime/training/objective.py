"""The loss: cross-entropy of the answer tokens among a part of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterable

import torch
import torch.nn.functional as functional

from premotor_runtime.training.gemma import Factors, Gemma
from premotor_runtime.training.packs import TokenPack

FREQUENT = 3000
STRAY = 2000
"""Other tokens drawn anew for every step, so that none is forgotten to be improbable."""


class Candidates:
    """The tokens that answers are made of, with their output rows."""

    def __init__(self, model: Gemma, packs: Iterable[TokenPack]) -> None:
        seen = torch.cat([torch.arange(FREQUENT), *(torch.cat((pack.ids, pack.targets)) for pack in packs)])
        self.model, self.vocab_size = model, model.config.vocab_size
        self.ids = seen.unique()
        self.rows = model.rows(self.ids)
        self.place = torch.full((self.vocab_size,), -1)
        self.place[self.ids] = torch.arange(len(self.ids))

    def covers(self, pack: TokenPack) -> bool:
        """Whether every target is among the candidates."""
        return bool((self.place[pack.targets] >= 0).all())

    def with_missing(self, pack: TokenPack) -> tuple[torch.Tensor, torch.Tensor]:
        """Rows to choose from and the targets' places in them; rare targets are appended."""
        missing = pack.targets[self.place[pack.targets] < 0].unique()
        place = self.place[pack.targets]
        if not len(missing):
            return self.rows, place
        place = torch.where(place < 0, len(self.ids) + torch.searchsorted(missing, pack.targets), place)
        return torch.cat((self.rows, self.model.rows(missing))), place


def pack_loss(
    model: Gemma, candidates: Candidates, pack: TokenPack, factors: Factors, generator: torch.Generator
) -> torch.Tensor:
    """Weighted mean of the answer tokens' losses; a question's weight grows as the square root of its length."""
    hidden = model.hidden(pack, factors)
    rows, place = candidates.with_missing(pack)
    stray = torch.randint(FREQUENT, candidates.vocab_size, (STRAY,), generator=generator)
    stray = stray[candidates.place[stray] < 0]
    logits = hidden @ torch.cat((rows, model.rows(stray))).t()
    loss = functional.cross_entropy(logits, place, reduction="none")
    lengths = torch.bincount(pack.question).float()
    weights = lengths[pack.question].rsqrt()
    return (loss * weights).sum() / weights.sum()


def exact_answers(model: Gemma, candidates: Candidates, pack: TokenPack, factors: Factors) -> torch.Tensor:
    """For each question, whether greedy decoding gives exactly the answer (N,).

    Greedy decoding equals the answer just when each token is the most probable one after the true ones before it.
    """
    rows, place = candidates.with_missing(pack)
    with torch.no_grad():
        right = (model.hidden(pack, factors) @ rows.t()).argmax(-1) == place
    wrong = torch.bincount(pack.question, weights=(~right).float())
    return wrong == 0
