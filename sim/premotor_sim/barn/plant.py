"""The robot among cylinders in MuJoCo, with the senses and the reaction of a set-up."""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from premotor_planners.motion.state import Command, LaserScan, RobotState
from premotor_planners.world.model import Pose
from premotor_sim.barn.drive import Drive
from premotor_sim.barn.mjcf import BASE, FLOOR, OBSTACLE_GROUP, STEP_S, WHEELS, arena_xml
from premotor_sim.barn.odometry import Odometry
from premotor_sim.barn.robot import BarnRobot
from premotor_sim.barn.set_up import SetUp
from premotor_sim.barn.world import CylinderWorld

_START_JITTER_M, _START_JITTER_RAD = 0.02, 0.03
_GRIP = (0.7, 1.0)
_LIDAR_HEIGHT_M = 0.25
_DRIVE_STEPS = 5
"""Physics steps between two settings of the wheels' speeds: 10 ms."""


class BarnPlant:
    """Equal world, set-up, seed and commands give equal observations. Time only passes in `advance`."""

    def __init__(self, world: CylinderWorld, set_up: SetUp, robot: BarnRobot, random: np.random.Generator) -> None:
        self.world, self.robot, self._set_up, self._random = world, robot, set_up, random
        start = _shifted(world.start, random)
        xml = arena_xml(world, robot, start, float(random.uniform(*_GRIP)))
        self._model = mujoco.MjModel.from_xml_string(xml)
        self._data = mujoco.MjData(self._model)
        base = self._model.joint(BASE)
        self._qpos, self._qvel = int(base.qposadr[0]), int(base.dofadr[0])
        self._wheels = [int(self._model.actuator(name).id) for name in WHEELS]
        self._obstacle = np.array([self._model.geom(i).name.startswith("cylinder/") for i in range(self._model.ngeom)])
        self._floor = int(self._model.geom(FLOOR).id)
        self._drive = Drive(robot, set_up)
        self._steps = 0
        self.touched = False
        mujoco.mj_forward(self._model, self._data)
        self._odometry = Odometry(start, set_up.odometry, random)
        self._make_lidar()

    @property
    def time_s(self) -> float:
        """Simulated seconds since the start."""
        return round(self._steps * STEP_S, 9)

    @property
    def pose(self) -> Pose:
        """The true pose."""
        x, y = self._data.qpos[self._qpos : self._qpos + 2]
        w, i, j, k = self._data.qpos[self._qpos + 3 : self._qpos + 7]
        return float(x), float(y), math.atan2(2 * (w * k + i * j), 1 - 2 * (j * j + k * k))

    def sense(self) -> tuple[RobotState, LaserScan]:
        """What odometry says, and a scan; both are of now."""
        x, y, yaw = self._odometry.pose
        v, w = self._odometry.speeds
        ranges = self._cast()
        state = RobotState(x, y, yaw, v, w, self.time_s)
        robot = self.robot
        scan = LaserScan(
            self.time_s, ranges, robot.range_min_m, robot.range_max_m, -robot.field_of_view_rad / 2,
            robot.angle_increment, (x, y, yaw),
        )  # fmt: skip
        return state, scan

    def command(self, command: Command) -> None:
        """Give a command now."""
        self._drive.take(command, self.time_s)

    def advance(self, dt_s: float) -> None:
        """Let time pass; `touched` is True from the first contact with a cylinder on."""
        for _ in range(round(dt_s / (STEP_S * _DRIVE_STEPS))):
            self._data.ctrl[self._wheels] = self._drive.advance(self.time_s, STEP_S * _DRIVE_STEPS)
            for _ in range(_DRIVE_STEPS):
                mujoco.mj_step(self._model, self._data)
                self._steps += 1
                self._watch()
            self._odometry.moved(self.pose, STEP_S * _DRIVE_STEPS)

    def _watch(self) -> None:
        pairs = self._data.contact.geom
        if len(pairs) > 4 or not self.touched:
            self.touched = self.touched or bool(self._obstacle[pairs].any())

    def _make_lidar(self) -> None:
        robot = self.robot
        self._angles = -robot.field_of_view_rad / 2 + robot.angle_increment * np.arange(robot.beams)
        self._groups = np.zeros(6, np.uint8)
        self._groups[OBSTACLE_GROUP] = 1
        self._hit = np.zeros(robot.beams, np.int32)
        self._distance = np.zeros(robot.beams)

    def _cast(self) -> NDArray[np.float32]:
        robot, (x, y, yaw) = self.robot, self.pose
        directions = np.zeros((robot.beams, 3))
        directions[:, 0], directions[:, 1] = np.cos(self._angles + yaw), np.sin(self._angles + yaw)
        mujoco.mj_multiRay(
            self._model, self._data, np.array([x, y, _LIDAR_HEIGHT_M]), directions.ravel(), self._groups, True, -1,
            self._hit, self._distance, None, robot.beams, robot.range_max_m,
        )  # fmt: skip
        noise = self._set_up.lidar_noise_m
        error = np.clip(self._random.normal(0.0, 1.0, robot.beams), -3.0, 3.0) * noise
        ranges = np.where(self._distance < 0, np.inf, self._distance + error)
        ranges[ranges < robot.range_min_m] = -np.inf
        ranges[ranges > robot.range_max_m] = np.inf
        return ranges.astype(np.float32)


def _shifted(start: Pose, random: np.random.Generator) -> Pose:
    dx, dy = random.uniform(-_START_JITTER_M, _START_JITTER_M, 2)
    return start[0] + float(dx), start[1] + float(dy), start[2] + float(random.uniform(-1, 1)) * _START_JITTER_RAD
