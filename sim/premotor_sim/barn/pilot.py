"""The controllers of the benchmark, built once: one configuration for all worlds and set-ups."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Protocol

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.heading_cost_to_go import HeadingCostToGo
from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_costs import MppiCosts
from premotor_planners.kernels.mppi_differential import Differential
from premotor_planners.motion.controller import ControlDecision
from premotor_planners.motion.footprint import ConvexPolygon
from premotor_planners.motion.gate import SafetyGate
from premotor_planners.motion.scan_points import Points
from premotor_planners.motion.state import Command, Goal, LaserScan, RobotState
from premotor_planners.motion.stopping import Braking
from premotor_planners.motion.window.actuation import Actuation, Response
from premotor_planners.motion.window.controller import WindowController
from premotor_planners.motion.window.evidence import EvidenceParameters, EvidenceWindow
from premotor_planners.motion.window.guide import BLOCK, GuideParameters, WindowGuide
from premotor_planners.motion.window.surroundings import Surroundings
from premotor_planners.motion.window.tight import TightGuide
from premotor_sim.barn.robot import BarnRobot

ControllerName = Literal["mppi", "dwa"]
PERIOD_S = 0.05
CRUISE_MPS = 1.3
"""The metric is at its best from 1 m/s along the reference path on; haste would only cost safety."""


class Pilot(Protocol):
    """What drives."""

    def restart(self) -> None:
        """Forget everything."""
        ...

    @property
    def actuation(self) -> Actuation:
        """What has been found about the base."""
        ...

    def follow(self, goal: Goal) -> None:
        """Take up a goal."""
        ...

    def command(self, state: RobotState, scan: LaserScan | None, sent: Command | None = None) -> ControlDecision:
        """Decide for the coming period."""
        ...

    def remembered(self, state: RobotState, scan: LaserScan) -> Points | None:
        """Obstacles where the scan has no beams, for the gate."""
        ...


def build_surroundings(device: CpuDevice, robot: BarnRobot) -> Surroundings:
    """Window of 8 m in cells of 2.5 cm, guide in cells of 5 cm."""
    evidence = EvidenceParameters()
    cells = evidence.cells // BLOCK
    field = CostToGo(cells, cells)
    lattice, parameters = HeadingCostToGo(sweeps=104), GuideParameters()
    tight = TightGuide(
        lattice, device.compile(lattice), evidence.resolution_m, BLOCK, *robot.discs(), fill=parameters.fill
    )  # fmt: skip
    guide = WindowGuide(field, device.compile(field), evidence.resolution_m * BLOCK, parameters, tight)
    return Surroundings(EvidenceWindow(evidence), guide)


def build_mppi(robot: BarnRobot, surroundings: Surroundings) -> Mppi:
    """The kernel with the robot's limits and outline."""
    offsets, radius = robot.discs()
    motion = Differential(
        max_forward_mps=CRUISE_MPS, max_reverse_mps=robot.max_reverse_mps, max_turn_rps=robot.max_turn_rps,
        max_accel_mps2=robot.max_accel_mps2, max_turn_accel_rps2=robot.max_turn_accel_rps2,
        v_std_mps=0.5, w_std_rps=1.2, v_change=0.2, w_change=0.02,
    )  # fmt: skip
    rows, cols = surroundings.shape
    return Mppi(
        rollouts=768, steps=40, dt_s=PERIOD_S, rows=rows, cols=cols, resolution_m=surroundings.resolution_m,
        motion=motion, costs=MppiCosts(radius_m=radius, safe_m=radius + 0.1, near=2.5), body_m=offsets,
    )  # fmt: skip


def build_pilot(name: ControllerName, robot: BarnRobot, seed: int) -> Pilot:
    """A controller with its own window. Raises BuildError where there is no compiler."""
    device = CpuDevice(threads=1)
    surroundings = build_surroundings(device, robot)
    kernel = build_mppi(robot, surroundings)
    if name == "dwa":
        from premotor_planners.motion.window.dwa import DwaController

        return DwaController(replace(kernel, rollouts=1), surroundings)
    return WindowController(kernel, device.compile(kernel), surroundings, seed)


def build_gate(robot: BarnRobot) -> SafetyGate:
    """The gate with the true outline."""
    return SafetyGate(
        ConvexPolygon(robot.corners_m), Braking(robot.max_accel_mps2, robot.max_turn_accel_rps2),
        robot.max_forward_mps, robot.max_reverse_mps, robot.max_turn_rps, margin_m=0.01, spacing_m=0.01,
    )  # fmt: skip


def gate_for(gate: SafetyGate, response: Response) -> SafetyGate:
    """The gate for a base that obeys as late as was found: it must brake that much earlier."""
    delay = SafetyGate.delay_s + response.delay_s
    return replace(gate, delay_s=delay, reaction_s=SafetyGate.reaction_s + response.total_s)
