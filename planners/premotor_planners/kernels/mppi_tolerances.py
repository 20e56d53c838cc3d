"""How far versions of the kernel `mppi` may lie apart: float32 in another order of operations."""

from __future__ import annotations

from typing import NamedTuple


class Tolerance(NamedTuple):
    """Allowed: `absolute + relative * |expected|`."""

    absolute: float
    relative: float


TOLERANCES = {
    "sequence": Tolerance(5e-3, 0.0),
    "best_cost": Tolerance(1e-3, 1e-3),
    "expected_cost": Tolerance(1e-3, 1e-3),
    "free_share": Tolerance(0.0, 0.0),
}
"""For clearances that are distances (no steeper than 1); a cost's difference is divided by the temperature before it
weighs rollouts, which is why the sequence (m/s, rad/s, rad) is allowed more than rounding. `free_share` counts: equal
but for rollouts whose clearance is within rounding of the radius."""
EDGE_M = 2e-5
"""That rounding, for a clearance of slope 1."""
