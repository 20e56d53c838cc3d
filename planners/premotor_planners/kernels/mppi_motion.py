"""What a base can do in a rollout: the numbers commanded each step, their limits, and the speeds they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import numpy as np

from premotor_planners.kernels.tensor import Field

if TYPE_CHECKING:
    from premotor_planners.kernels.mppi_stage import Stage

MotionName = Literal["differential", "omnidirectional", "ackermann"]

MOST = 100.0
"""m/s, rad/s or rad: no channel is commanded or measured beyond it."""
MOST_DISCS = 8
"""As `kMostDiscs` in the native source."""
_LEAST, _MOST_RATE, _MOST_WEIGHT = 1e-6, 1e4, 1e4


@dataclass(frozen=True)
class Channel:
    """One number commanded each step: a speed (m/s, rad/s) or an angle (rad), the same unit throughout.

    `rate` is the most it may change in a second, `deviation` that of its noise (0 holds it at its nominal value and
    takes it out of the control cost), `change_cost` the weight of its squared change from step to step.
    """

    name: str
    low: float
    high: float
    rate: float
    deviation: float
    change_cost: float

    def __post_init__(self) -> None:
        if not (-MOST <= self.low <= self.high <= MOST and 0 < self.rate <= _MOST_RATE):
            raise ValueError(
                f"{self}: `low` and `high` must be within ±{MOST:g} and in order, "
                f"`rate` above 0 and at most {_MOST_RATE:g}"
            )
        if not (self.deviation == 0 or _LEAST <= self.deviation <= MOST) or not 0 <= self.change_cost <= _MOST_WEIGHT:
            raise ValueError(
                f"{self}: `deviation` must be 0 or within [{_LEAST:g}, {MOST:g}], "
                f"`change_cost` at least 0 and at most {_MOST_WEIGHT:g}"
            )


class Speeds(NamedTuple):
    """Of the base in its own frame: forward and to the left in m/s, counter-clockwise in rad/s."""

    forward: Field
    lateral: Field | None
    turn: Field


class WrittenSpeeds(NamedTuple):
    """As `Speeds`: names of values in a graph."""

    forward: str
    lateral: str | None
    turn: str


class Motion(Protocol):
    """A motion model. Limits are those of the channels, so that the mean of rollouts within them is within them."""

    @property
    def name(self) -> MotionName:
        """Which of the three."""
        ...

    @property
    def channels(self) -> tuple[Channel, ...]:
        """What is commanded, in the order of `nominal`, `sequence` and the tail of `state`."""
        ...

    def speeds(self, controls: Sequence[Field]) -> Speeds:
        """What the base does under `controls`, one array a channel, all of one shape."""
        ...

    def write(self, stage: Stage, controls: Sequence[str]) -> WrittenSpeeds:
        """`speeds` as nodes of an ONNX graph."""
        ...


class Columns(NamedTuple):
    """The channels of a motion as arrays of shape (channels, 1)."""

    low: Field
    high: Field
    rate: Field
    deviation: Field
    inverse_deviation: Field
    change_cost: Field


def columns(motion: Motion) -> Columns:
    """`inverse_deviation` is 0 where the deviation is 0."""
    rows = [(c.low, c.high, c.rate, c.deviation, c.change_cost) for c in motion.channels]
    low, high, rate, deviation, change_cost = (column[:, None] for column in np.array(rows, np.float32).T)
    positive = deviation > 0
    inverse = np.where(positive, 1.0 / np.where(positive, deviation, 1.0), 0.0).astype(np.float32)
    return Columns(low, high, rate, deviation, inverse, change_cost)
