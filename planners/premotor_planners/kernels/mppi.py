"""MPPI: many rollouts of a base's motion scored at once, averaged by how well they do.

Information-theoretic model predictive control as in Williams et al., "Information Theoretic Model Predictive Control:
Theory and Applications to Autonomous Driving" (2018). Rollouts stay within the limits of what is commanded and of how
fast that changes, so their average, the returned sequence, does too (both sets are convex). Every cost is continuous
in the state, so that implementations which round differently agree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from premotor_planners.kernels.mppi_checks import check_numbers
from premotor_planners.kernels.mppi_costs import MppiCosts
from premotor_planners.kernels.mppi_differential import Differential
from premotor_planners.kernels.mppi_motion import MOST_DISCS, Columns, Motion, columns
from premotor_planners.kernels.mppi_reference import solve
from premotor_planners.kernels.mppi_tolerances import TOLERANCES
from premotor_planners.kernels.tensor import Arrays, Tensor

if TYPE_CHECKING:
    from premotor_planners.kernels.mppi_native import NativeMppi

_MOST_CELLS = 4096
"""Along one side: beyond it a float32 cannot tell the last cell's inside from its edge."""
_MOST_HORIZON_S = 60.0
_MOST_OFFSET_M = 5.0


@dataclass(frozen=True)
class Mppi:
    """The kernel `mppi`. `channels` is 2, or 3 for omnidirectional motion.

    The footprint is made of equal discs of `costs.radius_m` whose centres lie on the base's axis, `body_m` ahead of the
    pose (or behind it, below 0); clearance is that of the nearest one, the guide is taken at the pose. Four discs cover
    a rectangle of 0.51 x 0.43 m with 9 mm to spare.

    Inputs, float32, in the frame of the window (metres from the centre of its cell (0, 0)):
      state (3 + channels,)        x, y, yaw, then the measured values of the motion's channels
      nominal (steps, channels)    the sequence to vary
      noise (steps, channels, rollouts)  standard normal numbers, or anything finite
      fields (2, rows, cols)       clearance in metres to the nearest obstacle (0 inside); cost-to-go in metres
    Outputs: sequence (steps, channels); best_cost, expected_cost and free_share, each (1,): the cheapest rollout, the
    mean under the weights, and the share of rollouts that never came nearer than `costs.radius_m` to an obstacle.
    """

    rollouts: int = 512
    steps: int = 40
    dt_s: float = 0.05
    rows: int = 96
    cols: int = 96
    resolution_m: float = 0.05
    motion: Motion = field(default_factory=Differential)
    costs: MppiCosts = field(default_factory=MppiCosts)
    body_m: tuple[float, ...] = (0.0,)

    def __post_init__(self) -> None:
        sizes = min(self.rollouts, self.steps) >= 1 and min(self.rows, self.cols) >= 2
        if not (sizes and max(self.rows, self.cols) <= _MOST_CELLS and self.dt_s > 0 and self.resolution_m > 0):
            raise ValueError(
                f"{self}: at least 1 rollout, 1 step, 2 x 2 cells (at most {_MOST_CELLS} a side), "
                "a positive dt_s and a positive resolution_m are needed"
            )
        if self.steps * self.dt_s > _MOST_HORIZON_S:
            raise ValueError(f"{self.steps} steps of {self.dt_s} s look further ahead than {_MOST_HORIZON_S:g} s")

        offsets = all(math.isfinite(x) and abs(x) <= _MOST_OFFSET_M for x in self.body_m)
        if not (1 <= len(self.body_m) <= MOST_DISCS and offsets):
            raise ValueError(
                f"body_m is {self.body_m}; give 1 to {MOST_DISCS} finite offsets of at most {_MOST_OFFSET_M:g} m"
            )

    @property
    def name(self) -> str:
        """`mppi`, with the motion where that is not differential: `mppi_ackermann`."""
        return "mppi" if self.motion.name == "differential" else f"mppi_{self.motion.name}"

    @property
    def tolerance(self) -> float:
        """That of the sequence, in m/s, rad/s and rad; `TOLERANCES` has each output's."""
        return TOLERANCES["sequence"].absolute

    @property
    def channels(self) -> int:
        """How many numbers are commanded a step."""
        return len(self.motion.channels)

    @cached_property
    def columns(self) -> Columns:
        """The motion's channels as arrays."""
        return columns(self.motion)

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """state, nominal, noise, fields."""
        return (
            Tensor("state", (3 + self.channels,)),
            Tensor("nominal", (self.steps, self.channels)),
            Tensor("noise", (self.steps, self.channels, self.rollouts)),
            Tensor("fields", (2, self.rows, self.cols)),
        )

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """sequence, best_cost, expected_cost, free_share."""
        scalars = (Tensor("best_cost", (1,)), Tensor("expected_cost", (1,)), Tensor("free_share", (1,)))
        return (Tensor("sequence", (self.steps, self.channels)), *scalars)

    def check(self, inputs: Arrays) -> None:
        """Raise KernelInputError for NaN, infinite or absurd numbers: none of them may become a command."""
        check_numbers(self, inputs)

    def onnx(self) -> bytes:
        """The rollouts unrolled over steps; sums over steps are products with constant matrices."""
        from premotor_planners.kernels.mppi_graph import write_mppi

        return write_mppi(self)

    def reference(self, inputs: Arrays) -> dict[str, NDArray[Any]]:
        """The definition, in float32. Raises KernelInputError."""
        self.check(inputs)
        return solve(self, inputs)

    def native(self) -> NativeMppi:
        """The C++ version, compiled at first use. Raises BuildError where there is no compiler."""
        from premotor_planners.kernels.mppi_native import NativeMppi
        from premotor_planners.kernels.native.library import kernel_library

        return NativeMppi(self, kernel_library())
