"""The rollouts' noise: smooth in time, equal for equal seeds, with two rollouts that are not left to chance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.tensor import Field

_KNOT_S = 0.2
"""Seconds between independent numbers; between them the noise is a straight line (a wheel cannot follow faster)."""


_CALM = 0.2
"""How much of the turn rate's noise calm rollouts have: in a gap all others soon meet its walls."""


class Noise:
    """Standard normal at its knots. Rollout 0 is the nominal sequence itself, rollout 1 brakes at once, and the next
    ones are sequences that are given.

    The last `calm` (a share) of the rollouts hardly change the turn rate.
    """

    def __init__(self, kernel: Mppi, seed: int, calm: float = 0.0) -> None:
        self._calm = kernel.rollouts - round(calm * kernel.rollouts)
        knots = max(2, round(kernel.steps * kernel.dt_s / _KNOT_S) + 1)
        at = np.linspace(0.0, knots - 1, kernel.steps)
        before = np.minimum(at.astype(np.int64), knots - 2)
        self._part = (at - before).astype(np.float32)[:, None]
        self._first = np.searchsorted(before, np.arange(knots))
        self._knots = np.empty((knots, kernel.channels, kernel.rollouts), np.float32)
        self._noise = np.empty((kernel.steps, kernel.channels, kernel.rollouts), np.float32)
        self._kernel = kernel
        self._seed = seed
        self.restart()

    def restart(self) -> None:
        """From the seed again."""
        self._random = np.random.default_rng(self._seed)
        self._drawn = False

    def prepare(self) -> None:
        """Draw now what does not depend on a nominal sequence: the next draw gives the same, and sooner."""
        if self._drawn:
            return
        self._random.standard_normal(dtype=np.float32, out=self._knots)
        self._join_knots()
        self._noise[:, -1, self._calm :] *= np.float32(_CALM)
        self._drawn = True

    def draw(self, nominal: Field, given: Sequence[Field] = ()) -> Field:
        """The next noise, shape (steps, channels, rollouts), in an array that the next draw or `prepare` overwrites.

        `given` are sequences (steps, channels) to try as they are, as many as there are rollouts for.
        """
        self.prepare()
        self._drawn = False
        noise = self._noise
        noise[:, :, 0] = 0.0
        inverse = self._kernel.columns.inverse_deviation[:, 0]
        for rollout, sequence in enumerate([np.zeros_like(nominal), *given][: self._kernel.rollouts - 1], 1):
            noise[:, :, rollout] = (sequence - nominal) * inverse
        return noise

    def _join_knots(self) -> None:
        knots, noise = (array.reshape(len(array), -1) for array in (self._knots, self._noise))
        for knot, (first, end) in enumerate(pairwise(self._first)):
            line = noise[first:end]
            np.multiply(self._part[first:end], knots[knot + 1] - knots[knot], out=line)
            line += knots[knot]
