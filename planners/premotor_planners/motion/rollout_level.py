"""One size of the kernel `mppi`, compiled, with its noise and its outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from premotor_planners.costmap.costmap import Costmap
from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.tensor import Compiled, Field
from premotor_planners.motion.local_obstacles import clearance_of
from premotor_planners.motion.noise import Noise
from premotor_planners.motion.state import LaserScan

_BEAMS = 720
_CALM = 0.4
"""The share of rollouts with little turn noise, where the robot is not round."""


@dataclass(frozen=True, eq=False)
class Rollouts:
    """What one run came to; see the kernel."""

    sequence: Field
    best_cost: float
    free_share: float

    @property
    def judged(self) -> tuple[float, float]:
        """best_cost, free_share."""
        return self.best_cost, self.free_share


class RolloutLevel:
    """`run` is `kernel` compiled. Not for several threads."""

    def __init__(self, kernel: Mppi, run: Compiled, seed: int) -> None:
        self.kernel, self._run, self._seed = kernel, run, seed
        self._noise = self._fresh_noise()
        self._outputs = {tensor.name: tensor.zeros() for tensor in kernel.outputs}
        self._spare: tuple[Costmap, Noise] | None = None

    def restart(self) -> None:
        """The noise from its seed again."""
        self._noise.restart()

    def run(self, state: Field, nominal: Field, fields: Field, given: Sequence[Field] = ()) -> Rollouts:
        """One run on inputs as the kernel has them; `given` sequences are among the rollouts."""
        return self._solved(self._noise, state, nominal, fields, given)

    def rehearse(self, costmap: Costmap) -> None:
        """What a period computes, with every beam of a scan returned, on a costmap and noise of its own."""
        if self._spare is None:
            self._spare = Costmap(costmap.footprint, costmap.settings), self._fresh_noise()
        spare, noise = self._spare
        scan = LaserScan(0.0, np.full(_BEAMS, 1.0, np.float32), angle_increment=2 * np.pi / _BEAMS)
        clearance = clearance_of(spare.update((0.0, 0.0, 0.0), scan, 0.0))
        nominal = np.zeros((self.kernel.steps, 2), np.float32)
        half_m = self.kernel.resolution_m / 2
        middle = np.array([self.kernel.cols * half_m, self.kernel.rows * half_m, 0, 0, 0], np.float32)
        self._solved(noise, middle, nominal, np.stack([clearance, np.zeros_like(clearance)]))

    def _fresh_noise(self) -> Noise:
        return Noise(self.kernel, self._seed, _CALM if len(self.kernel.body_m) > 1 else 0.0)

    def _solved(
        self, noise: Noise, state: Field, nominal: Field, fields: Field, given: Sequence[Field] = ()
    ) -> Rollouts:
        inputs = {"state": state, "nominal": nominal, "noise": noise.draw(nominal, given), "fields": fields}
        self._run.run(inputs, self._outputs)
        best, free = (float(self._outputs[name][0]) for name in ("best_cost", "free_share"))
        return Rollouts(self._outputs["sequence"].copy(), best, free)
