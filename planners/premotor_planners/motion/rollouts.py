"""The kernel `mppi` with a robot's limits and outline."""

from __future__ import annotations

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_costs import MppiCosts
from premotor_planners.kernels.mppi_differential import Differential
from premotor_planners.motion.footprint import Footprint, covering_discs
from premotor_planners.motion.robot import RobotParameters

_MARGIN_M = 0.01
_SAFE_M = 0.14
"""From the outline on, clearance beyond the margin costs nothing."""


def mppi_for(robot: RobotParameters, rollouts: int = 512, steps: int = 40) -> Mppi:
    """One step of a rollout is one control period."""
    motion = Differential(
        max_forward_mps=robot.max_forward_mps,
        max_reverse_mps=robot.max_reverse_mps,
        max_turn_rps=robot.max_turn_rps,
        max_accel_mps2=robot.max_accel_mps2,
        max_turn_accel_rps2=robot.max_turn_accel_rps2,
    )
    offsets, radius = covering_discs(robot.footprint)
    costs = MppiCosts(radius_m=radius + _MARGIN_M, safe_m=radius + _SAFE_M)
    return Mppi(rollouts=rollouts, steps=steps, dt_s=robot.period_s, motion=motion, costs=costs, body_m=offsets)


def room_to_control_m(footprint: Footprint, resolution_m: float) -> float:
    """How far from an outline its rollouts keep at most: as its discs stick out, the margin, and a cell of a scan."""
    corners: tuple[tuple[float, float], ...] = getattr(footprint, "corners_m", ((0.0, footprint.reach_m),))
    _, radius = covering_discs(footprint)
    return radius - max(abs(y) for _, y in corners) + _MARGIN_M + resolution_m
