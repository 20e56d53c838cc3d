"""Everything a control period computes with, built and compiled once, before the loop starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_accelerators.devices.cpu_native import NativeExecutable
from premotor_foundation.errors import UsageError
from premotor_foundation.locations import named_config
from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.tensor import Compiled
from premotor_planners.maps.distance import inflate
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.maps.rasterize import rasterize
from premotor_planners.maps.reachable import free_middle, reachable_from
from premotor_planners.motion.controller import Controller, mppi_for
from premotor_planners.motion.footprint import Disc
from premotor_planners.motion.gate import SafetyGate
from premotor_planners.motion.goal_field import kernel_for
from premotor_planners.motion.robot import RobotParameters, load_robot
from premotor_planners.motion.route import RoutePlanner
from premotor_planners.motion.stopping import Braking
from premotor_planners.world.loader import load_world
from premotor_planners.world.model import Pose, World
from premotor_runtime.app.settings import RuntimeSettings

_SWEEPS_NATIVE, _SWEEPS = 96, 16
"""Sweeps of `cost_to_go` in one submission: 2 ms of C++, or 13 ms of ONNX Runtime, on one core at 2 GHz."""


@dataclass(frozen=True)
class Surroundings:
    """The robot and the checked world that a configuration and a world file describe."""

    robot: RobotParameters
    world: World


@dataclass(frozen=True)
class MotionKit:
    """Compiled planner and controller, and the gate."""

    surroundings: Surroundings
    grid: OccupancyGrid
    planner: RoutePlanner
    controller: Controller
    gate: SafetyGate

    def goal_of(self, target: str) -> Pose:
        """The pose from which a place, room or person is served; KeyError for a name that is none of them.

        A person is served from the place where the world says they are; a room from its free middle.
        """
        world = self.surroundings.world
        if any(room.name == target for room in world.rooms):
            return self._middle_of(target)
        if any(person.name == target for person in world.people):
            return world.place(world.person(target).place).approach
        return world.place(target).approach

    def _middle_of(self, room_name: str) -> Pose:
        world = self.surroundings.world
        area = {room.name: room.area_m for room in world.rooms}[room_name]
        grown = inflate(self.grid, self.surroundings.robot.planning_radius_m)
        middle = free_middle(reachable_from(grown, grown.cell_of(*world.start[:2])), grown, area)
        if middle is None:
            raise KeyError(room_name)
        return middle


def read_surroundings(world_path: Path, settings: RuntimeSettings) -> Surroundings:
    """Load robot and world; raises ConfigError (exit 2) with file and line for whatever is wrong with them."""
    robot = load_robot(named_config("robots", settings.robot))
    if abs(robot.control_hz - settings.control.rate_hz) > 1e-9:
        raise UsageError(
            f"`control.rate_hz` is {settings.control.rate_hz:g}, but the robot `{robot.name}` is controlled at "
            f"`control_hz` {robot.control_hz:g}: a rollout's step is one control period; make them equal"
        )
    return Surroundings(robot, load_world(world_path, robot.planning_radius_m))


def build_motion(surroundings: Surroundings, seed: int) -> MotionKit:
    """Rasterize the map and compile the kernels for the CPU; takes about a second."""
    robot, world = surroundings.robot, surroundings.world
    grid, device = rasterize(world), CpuDevice(threads=1)
    rollouts = mppi_for(robot)
    planner = RoutePlanner(*_compiled_field(device, grid.shape), grid, robot.planning_radius_m)
    controller = Controller(rollouts, device.compile(rollouts, "fp32"), grid, seed)
    braking = Braking(robot.max_accel_mps2, robot.max_turn_accel_rps2)
    limits = (robot.max_forward_mps, robot.max_reverse_mps, robot.max_turn_rps)
    gate = SafetyGate(Disc(robot.footprint_radius_m), braking, *limits)
    return MotionKit(surroundings, grid, planner, controller, gate)


def _compiled_field(device: CpuDevice, shape: tuple[int, int]) -> tuple[CostToGo, Compiled]:
    kernel = kernel_for(shape, _SWEEPS_NATIVE)
    run = device.compile(kernel)
    if isinstance(run, NativeExecutable):
        return kernel, run
    kernel = kernel_for(shape, _SWEEPS)
    return kernel, device.compile(kernel)
