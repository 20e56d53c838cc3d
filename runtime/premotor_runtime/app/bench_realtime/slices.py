"""Every set-up runs in slices, in turns with the others, so that what disturbs the machine disturbs them all. Pure.

A first round is not counted: the machine settles in it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

SetUp: TypeAlias = Literal["naive", "threads", "own_lane", "shared_lane"]
Measured: TypeAlias = Literal["naive", "threads", "own_lane", "shared_lane", "llm_alone", "idle"]
SET_UPS: tuple[SetUp, ...] = get_args(SetUp)
BASES: tuple[Measured, ...] = ("llm_alone", "idle")
"""What the set-ups are held against."""
_ROUNDS = 5
_LEAST_S = 1.0
_SETTLING_S = 4.0
_SEED = 0


@dataclass(frozen=True)
class Slice:
    """`releases` periods of one set-up; whether what became of them counts."""

    measured: Measured
    releases: int
    counted: bool = True


def slices(seconds: float, set_ups: Sequence[Measured], period_s: float) -> list[Slice]:
    """Rounds of each set-up once, in an order that is drawn anew; the counted releases of one add up to `seconds`.

    Five rounds, fewer where a slice would be shorter than a second; before them one of 4 s, or `seconds`, that is not
    counted.
    """
    rounds = max(1, min(_ROUNDS, math.floor(seconds / _LEAST_S)))
    whole = round(seconds / period_s)
    drawn, order = random.Random(_SEED), list(set_ups)  # noqa: S311 - nothing secret
    settling = round(min(_SETTLING_S, seconds) / period_s)
    found = [Slice(name, settling, counted=False) for name in set_ups]
    for number in range(rounds):
        releases = whole * (number + 1) // rounds - whole * number // rounds
        drawn.shuffle(order)
        found += [Slice(name, releases) for name in order]
    return found
