"""The kernels by the names that the command line knows, each in the size that the robot runs."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from importlib import import_module

from premotor_accelerators.protocol import Kernel
from premotor_foundation.errors import UsageError

_PLACES: dict[str, tuple[str, str, dict[str, object]]] = {
    "cspace": ("premotor_planners.kernels.cspace", "CSpace", {}),
    "cost_to_go": ("premotor_planners.kernels.cost_to_go", "CostToGo", {"rows": 128, "cols": 128}),
    "cost_to_go_256": ("premotor_planners.kernels.cost_to_go", "CostToGo", {"rows": 256, "cols": 256}),
    "heading_cost_to_go": ("premotor_planners.kernels.heading_cost_to_go", "HeadingCostToGo", {"sweeps": 104}),
    "mppi": ("premotor_planners.kernels.mppi", "Mppi", {}),
    "mppi_omnidirectional": ("premotor_planners.kernels.mppi_variants", "omnidirectional_mppi", {}),
    "mppi_ackermann": ("premotor_planners.kernels.mppi_variants", "ackermann_mppi", {}),
}
KERNELS: tuple[str, ...] = tuple(_PLACES)


def kernel_named(name: str) -> Kernel:
    """The kernel; raises UsageError listing the known names."""
    if name not in _PLACES:
        nearest = difflib.get_close_matches(name, KERNELS, n=1)
        hint = f"; did you mean `{nearest[0]}`?" if nearest else ""
        raise UsageError(f"there is no kernel `{name}`; known: {', '.join(KERNELS)}{hint}")
    module, kind, arguments = _PLACES[name]
    make: Callable[..., Kernel] = getattr(import_module(module), kind)
    return make(**arguments)
