"""Choosing the next token."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from premotor_runtime.models.packed import Floats


@dataclass(frozen=True)
class SamplingParams:
    """`temperature` 0 is greedy. `top_p` keeps the likeliest tokens that together reach that probability."""

    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0.0 <= self.temperature <= 10.0 or not 0.0 < self.top_p <= 1.0:
            raise ValueError(f"temperature must be in [0, 10] and top_p in (0, 1]; given {self}")


GREEDY = SamplingParams()


def choose(logits: Floats, params: SamplingParams, random: np.random.Generator) -> int:
    """The index chosen among `logits` (n,); ties go to the lowest index. Draws from `random` unless greedy."""
    if params.temperature == 0.0:
        return int(np.argmax(logits))
    probabilities = np.exp(log_softmax(logits.astype(np.float64) / params.temperature))
    order = np.argsort(-probabilities, kind="stable")
    before = np.cumsum(probabilities[order]) - probabilities[order]
    kept = order[before < params.top_p]
    weights = probabilities[kept] / probabilities[kept].sum()
    return int(random.choice(kept, p=weights))


def log_softmax(
    logits: np.ndarray[tuple[int, ...], np.dtype[np.floating]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """log(softmax(logits)) over the last axis, in float64."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
