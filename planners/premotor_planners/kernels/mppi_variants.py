"""The kernel `mppi` in the sizes that robots run, for the other two motions."""

from __future__ import annotations

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_ackermann import Ackermann
from premotor_planners.kernels.mppi_omnidirectional import Omnidirectional


def omnidirectional_mppi() -> Mppi:
    """`mppi_omnidirectional`."""
    return Mppi(motion=Omnidirectional())


def ackermann_mppi() -> Mppi:
    """`mppi_ackermann`."""
    return Mppi(motion=Ackermann())
