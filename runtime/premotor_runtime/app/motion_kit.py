"""Everything a control period computes with, built and compiled once, before the loop starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_accelerators.devices.cpu_native import NativeExecutable
from premotor_foundation.errors import UsageError
from premotor_foundation.locations import named_config
from premotor_planners.maps.distance import inflate
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.maps.rasterize import rasterize
from premotor_planners.maps.reachable import free_middle, reachable_from
from premotor_planners.motion.controller import Controller
from premotor_planners.motion.gate import SafetyGate
from premotor_planners.motion.goal_field import kernel_for
from premotor_planners.motion.local_obstacles import costmap_for
from premotor_planners.motion.robot import RobotParameters, load_robot
from premotor_planners.motion.rollouts import mppi_for
from premotor_planners.motion.routing import GoalFields, Router
from premotor_planners.motion.stopping import Braking
from premotor_planners.motion.timing import check_period
from premotor_planners.world.loader import load_world
from premotor_planners.world.model import Pose, World
from premotor_runtime.app.settings import RuntimeSettings
from premotor_runtime.executor.rights import stay_behind

_SWEEPS_NATIVE, _SWEEPS = 96, 16
"""Sweeps of `cost_to_go` in one submission: 2 ms of C++, or 13 ms of ONNX Runtime, on one core at 2 GHz."""
_ROLLOUTS = (512, 256, 128)
"""Of a control period in full, and of its smaller versions for when time is short."""


@dataclass(frozen=True)
class Surroundings:
    """The robot and the checked world that a configuration and a world file describe; None: the robot's own period."""

    robot: RobotParameters
    world: World
    period_s: float | None = None


@dataclass(frozen=True)
class MotionKit:
    """Planner and compiled controller, and the gate."""

    surroundings: Surroundings
    grid: OccupancyGrid
    router: Router
    controller: Controller
    gate: SafetyGate

    @property
    def period_s(self) -> float:
        """Seconds from one control tick to the next."""
        return self.surroundings.period_s or self.surroundings.robot.period_s

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
    period_s = settings.control.period_s
    try:
        check_period(period_s, robot.period_s)
    except ValueError as error:
        raise UsageError(
            f"`control.rate_hz` is {settings.control.rate_hz:g}, but the robot `{robot.name}` is controlled at "
            f"`control_hz` {robot.control_hz:g}: {error}"
        ) from error
    return Surroundings(robot, load_world(world_path, robot.planning_radius_m), period_s)


def build_motion(surroundings: Surroundings, seed: int) -> MotionKit:
    """Rasterize the map and compile the kernels for the CPU; takes about a second."""
    robot, device = surroundings.robot, CpuDevice(threads=1)
    grid = rasterize(surroundings.world)
    fields = _compiled_field(device, grid.shape)
    router = Router(fields, grid, robot.footprint, robot.planning_radius_m, begin_worker=stay_behind)
    kernels = [mppi_for(robot, rollouts) for rollouts in _ROLLOUTS]
    controller = Controller(
        [(kernel, device.compile(kernel, "fp32")) for kernel in kernels],
        costmap_for(kernels[0], grid, robot.footprint), seed, period_s=surroundings.period_s,
    )  # fmt: skip
    return MotionKit(surroundings, grid, router, controller, gate_for(robot, surroundings.period_s or robot.period_s))


def gate_for(robot: RobotParameters, period_s: float) -> SafetyGate:
    """The gate with the true outline, for a base that obeys as late as the robot's file says."""
    late_s = robot.command_delay_s
    return SafetyGate(
        robot.footprint,
        Braking(robot.max_accel_mps2, robot.max_turn_accel_rps2, robot.lag_s),
        robot.max_forward_mps,
        robot.max_reverse_mps,
        robot.max_turn_rps,
        reaction_s=SafetyGate.reaction_s + late_s,
        delay_s=SafetyGate.delay_s + late_s,
        period_s=period_s,
    )


def _compiled_field(device: CpuDevice, shape: tuple[int, int]) -> GoalFields:
    kernel = kernel_for(shape, _SWEEPS_NATIVE)
    run = device.compile(kernel)
    if isinstance(run, NativeExecutable):
        return GoalFields(kernel, run)
    kernel = kernel_for(shape, _SWEEPS)
    return GoalFields(kernel, device.compile(kernel))
