"""Exact match of greedy answers, without a grammar."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch

from premotor_runtime.models.config import ModelConfig
from premotor_runtime.training.embedded_model import answer_logits, answer_targets
from premotor_runtime.training.packs import TokenPack


@dataclass(frozen=True)
class Score:
    """How many of the questions asked got exactly the right answer."""

    right: int
    asked: int

    @property
    def share(self) -> float:
        """Between 0 and 1; 0 when nothing was asked."""
        return self.right / self.asked if self.asked else 0.0


@torch.no_grad()  # type: ignore[untyped-decorator]
def exact_match(parameters: Mapping[str, torch.Tensor], config: ModelConfig, packs: Sequence[TokenPack]) -> Score:
    """A greedy answer is right exactly if every token of the right one is the likeliest after those before it."""
    results = [flag for pack in packs for flag in _right(parameters, config, pack)]
    return Score(sum(results), len(results))


def _right(parameters: Mapping[str, torch.Tensor], config: ModelConfig, pack: TokenPack) -> Iterable[bool]:
    hits = answer_logits(dict(parameters), config, [pack]).argmax(-1) == answer_targets([pack])
    right = torch.ones(len(pack.rows), dtype=torch.bool)
    right[pack.question[~hits]] = False
    return [bool(flag) for flag in right]
