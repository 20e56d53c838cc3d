"""What a step asks of the runner, in the terms of the cost model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from premotor_runtime.models.config import ModelConfig

# the smallest amounts worth a first trial, one for each field of `StepLoad`
UNITS = (1.0, 2.0, 1.0, 65536.0, 4096.0, 1.0, 1.0)


class AttentionShape(NamedTuple):
    """The share of layers that see everything, and how far the others see."""

    full_share: float
    window: int

    @classmethod
    def of(cls, config: ModelConfig) -> AttentionShape:
        """The shape of a model."""
        windows = [config.window(layer) for layer in range(config.num_hidden_layers)]
        limited = [window for window in windows if window is not None]
        return cls(1.0 - len(limited) / len(windows), max(limited, default=1))


class Waiting(Protocol):
    """See `batcher.Pending`."""

    @property
    def pending(self) -> int: ...  # noqa: D102
    @property
    def computed(self) -> int: ...  # noqa: D102
    @property
    def masked(self) -> bool: ...  # noqa: D102


class StepLoad(NamedTuple):
    """Features of a step.

    Chunks of one token (decode) and wider ones (prefill, forced tokens) are told apart, as runners treat them
    differently; `attended` counts pairs of a token and a position it sees, averaged over the layers; `picks` and
    `masked_picks` count the tokens that are chosen from the whole vocabulary and among a grammar's.
    """

    constant: float
    wide_tokens: float
    single_tokens: float
    attended_wide: float
    attended_single: float
    picks: float
    masked_picks: float

    def plus(self, item: Waiting, count: int, shape: AttentionShape) -> StepLoad:
        """With `count` more tokens, those of `item`."""
        return self.plus_all([(item, count)], shape)

    def plus_all(self, shares: Iterable[tuple[Waiting, int]], shape: AttentionShape) -> StepLoad:
        """With `count` more tokens of each item."""
        constant, wide, single, attended_wide, attended_single, picks, masked = self
        for item, count in shares:
            constant = 1.0
            if count == 1:
                single += 1.0
                attended_single += _attended(item.computed, 1, shape)
            else:
                wide += count
                attended_wide += _attended(item.computed, count, shape)
            if count == item.pending:
                if item.masked:
                    masked += 1.0
                else:
                    picks += 1.0
        return StepLoad(constant, wide, single, attended_wide, attended_single, picks, masked)


NOTHING = StepLoad(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def _attended(start: int, count: int, shape: AttentionShape) -> float:
    mean_context = start + 0.5 * (count + 1)
    if shape.full_share < 1.0:
        mean_context = shape.full_share * mean_context + (1.0 - shape.full_share) * min(mean_context, shape.window)
    return count * mean_context
