"""One size of the kernel `mppi`, compiled, with its noise and its outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.tensor import Compiled, Field
from premotor_planners.motion.noise import Noise

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
    """`compiled` is `kernel` compiled. Not for several threads."""

    def __init__(self, kernel: Mppi, compiled: Compiled, seed: int) -> None:
        self.kernel, self.compiled = kernel, compiled
        self._noise = Noise(kernel, seed, _CALM if len(kernel.body_m) > 1 else 0.0)
        self._outputs = {tensor.name: tensor.zeros() for tensor in kernel.outputs}

    def restart(self) -> None:
        """The noise from its seed again."""
        self._noise.restart()

    def prepare(self) -> None:
        """Draw the noise of the next run now."""
        self._noise.prepare()

    def run(self, state: Field, nominal: Field, fields: Field, given: Sequence[Field] = ()) -> Rollouts:
        """One run on inputs as the kernel has them; `given` sequences are among the rollouts."""
        inputs = {"state": state, "nominal": nominal, "noise": self._noise.draw(nominal, given), "fields": fields}
        self.compiled.run(inputs, self._outputs)
        best, free = (float(self._outputs[name][0]) for name in ("best_cost", "free_share"))
        return Rollouts(self._outputs["sequence"].copy(), best, free)
