"""The rollouts' noise: smooth in time, equal for equal seeds, with two rollouts that are not left to chance."""

from __future__ import annotations

import numpy as np

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.tensor import Field

_KNOT_S = 0.2
"""Seconds between independent numbers; between them the noise is a straight line (a wheel cannot follow faster)."""


_CALM = 0.2
"""How much of the turn rate's noise calm rollouts have: in a gap all others soon meet its walls."""


class Noise:
    """Standard normal at its knots. Rollout 0 is the nominal sequence itself, rollout 1 brakes at once.

    The last `calm` (a share) of the rollouts hardly change the turn rate.
    """

    def __init__(self, kernel: Mppi, seed: int, calm: float = 0.0) -> None:
        self._calm = kernel.rollouts - round(calm * kernel.rollouts)
        knots = max(2, round(kernel.steps * kernel.dt_s / _KNOT_S) + 1)
        at = np.linspace(0.0, knots - 1, kernel.steps)
        self._before = np.minimum(at.astype(np.int64), knots - 2)
        self._part = (at - self._before).astype(np.float32)[:, None, None]
        self._shape = (knots, kernel.channels, kernel.rollouts)
        self._kernel = kernel
        self._seed = seed
        self.restart()

    def restart(self) -> None:
        """From the seed again."""
        self._random = np.random.default_rng(self._seed)

    def draw(self, nominal: Field) -> Field:
        """The next noise, shape (steps, channels, rollouts)."""
        knots = self._random.standard_normal(self._shape, np.float32)
        before = knots[self._before]
        noise: Field = before + self._part * (knots[self._before + 1] - before)
        noise[:, -1, self._calm :] *= np.float32(_CALM)
        noise[:, :, 0] = 0.0
        if self._kernel.rollouts > 1:
            noise[:, :, 1] = -nominal * self._kernel.columns.inverse_deviation[:, 0]
        return noise
