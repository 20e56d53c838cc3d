"""Choosing the next token."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from premotor_runtime.engine.ranges import check_count, check_number
from premotor_runtime.models.packed import Floats

Indices = np.ndarray[tuple[int, ...], np.dtype[np.intp]]
Doubles = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True)
class SamplingParams:
    """How the next token is chosen; names, meaning and order of the filters as in vLLM. Raises RequestError.

    Penalties come first (see `Penalties`; 1, 0 and 0 are none), then `temperature` (0 is greedy), then `min_p` keeps
    the tokens with at least that share of the likeliest one's probability, `top_k` the k likeliest (0 for all; all of
    those that tie with the k-th), and `top_p` the likeliest of what is left that together reach that probability.
    `logprobs`: that many of the likeliest tokens are reported with each output token.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    logprobs: int = 0

    def __post_init__(self) -> None:
        check_number("temperature", self.temperature, 0.0, 10.0, "0 is greedy, 1 is the model's own distribution")
        check_number("top_p", self.top_p, 0.0, 1.0, "1 keeps all tokens", above=True)
        check_count("seed", self.seed, 0, 2**63 - 1, "the same seed gives the same answer")
        check_count("top_k", self.top_k, 0, 2**31 - 1, "0 keeps all tokens")
        check_number("min_p", self.min_p, 0.0, 1.0, "0 keeps all tokens")
        check_number("repetition_penalty", self.repetition_penalty, 0.0, 10.0, "1 is none", above=True)
        check_number("presence_penalty", self.presence_penalty, -2.0, 2.0, "0 is none")
        check_number("frequency_penalty", self.frequency_penalty, -2.0, 2.0, "0 is none")
        check_count("logprobs", self.logprobs, 0, 20, "it is how many of the likeliest tokens are reported")

    @property
    def penalizes(self) -> bool:
        """Whether any penalty changes the logits."""
        return (self.repetition_penalty, self.presence_penalty, self.frequency_penalty) != (1.0, 0.0, 0.0)


GREEDY = SamplingParams()


def choose(logits: Floats, params: SamplingParams, random: np.random.Generator) -> int:
    """The index chosen among `logits` (n,); greedy ties go to the lowest index. One draw from `random` unless greedy.

    A logit may be -inf (that token is never chosen), but not all of them; penalties have been applied already.
    """
    if params.temperature == 0.0:
        return int(np.argmax(logits))
    kept, weights = candidates(logits, params)
    reached = np.cumsum(weights)
    at = int(np.searchsorted(reached, random.random() * reached[-1], side="right"))
    if at == len(reached):  # the product was rounded up to the whole
        at = int(np.searchsorted(reached, reached[-1], side="left"))
    return int(kept[at])


def candidates(logits: Floats, params: SamplingParams) -> tuple[Indices, Doubles]:
    """The indices that temperature, min-p, top-k and top-p leave, and their weights (not normalized), float64."""
    scaled = (logits - logits.max()) / np.float32(params.temperature)
    keep = np.isfinite(scaled)
    if params.min_p > 0.0:
        keep &= scaled >= np.log(params.min_p)
    kept = np.flatnonzero(keep)
    if 0 < params.top_k < len(kept):
        values = scaled[kept]
        kept = kept[values >= np.partition(values, -params.top_k)[-params.top_k]]
    weights = np.exp(scaled[kept]).astype(np.float64)
    if params.top_p < 1.0:
        inside = _nucleus(weights, params.top_p)
        kept, weights = kept[inside], weights[inside]
    return kept, weights


def _nucleus(weights: Doubles, top_p: float) -> Indices:
    """The smallest set of the largest weights that reaches the share `top_p`; equals are taken in order.

    All weights below (1 - top_p) / n of the sum are together less than 1 - top_p of it, so that none of them is in the
    set: leaving them out first makes the sort short.
    """
    shares = weights / weights.sum()
    large = np.flatnonzero(shares >= (1.0 - top_p) / len(shares))
    order = large[np.argsort(-shares[large], kind="stable")]
    before = np.cumsum(shares[order]) - shares[order]
    return np.asarray(order[before < top_p])


def log_normalizer(logits: Floats) -> float:
    """log(sum(exp(logits)))."""
    largest = logits.max()
    return float(largest) + float(np.log(np.exp(logits - largest).sum(dtype=np.float64)))


def likeliest(logits: Floats, count: int) -> Indices:
    """The indices of the `count` largest logits (all, when there are fewer), best first, the lowest of equals first."""
    if count < len(logits):
        bound = np.partition(logits, -count)[-count]
        above = np.flatnonzero(logits >= bound)
    else:
        above = np.arange(len(logits))
    return above[np.argsort(-logits[above], kind="stable")][:count]


def log_softmax(logits: np.ndarray[tuple[int, ...], np.dtype[np.floating]]) -> Doubles:
    """log(softmax(logits)) over the last axis, in float64."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
