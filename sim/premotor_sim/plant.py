"""The simulated robot in its house, as the plant that the executor drives."""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from premotor_planners.world.model import Pose, World
from premotor_runtime.executor.robot import Collision, GroundTruth, Observation, SkillRequest, SkillStatus
from premotor_sim.contacts import CollisionCounter
from premotor_sim.faults import Faults
from premotor_sim.house import STEP_S, house_xml
from premotor_sim.layout import Layout, Point, lay_out
from premotor_sim.lidar import Lidar, LidarSpec
from premotor_sim.objects import ObjectBodies
from premotor_sim.robot import BASE_JOINT, WHEEL_JOINTS, RobotBody
from premotor_sim.skill_runner import SkillRunner

START_JITTER_M = 0.02
START_JITTER_RAD = 0.03
OBJECT_JITTER_M = 0.01
GRIP_RANGE = (0.8, 1.0)


class MujocoPlant:
    """Implements `SimulatedPlant`. Equal world, seed and calls give equal observations, bit for bit.

    The seed varies the start pose and the objects by a few centimetres, the wheels' grip, and the lidar's noise.
    Odometry is the true pose. The gripper is kinematic: an object is attached or put down when the skill's time ends.
    """

    def __init__(self, world: World, seed: int, body: RobotBody | None = None, lidar: LidarSpec | None = None) -> None:
        """Build the house. Raises SimulationError for a world that cannot be built."""
        self.world, self.body, self.faults = world, body or RobotBody(), Faults()
        self._noise = np.random.default_rng(seed)
        self._layout = _shift_objects(lay_out(world), self._noise)
        start = _shift_start(world.start, self._noise)
        grip = float(self._noise.uniform(*GRIP_RANGE))
        self._model = mujoco.MjModel.from_xml_string(house_xml(world, self._layout, self.body, start, grip))
        self._data = mujoco.MjData(self._model)
        base = self._model.joint(BASE_JOINT)
        self._qpos, self._qvel = int(base.qposadr[0]), int(base.dofadr[0])
        self._wheels = [int(self._model.actuator(name).id) for name in WHEEL_JOINTS]
        self._objects = ObjectBodies(self._model, self._data, world)
        self._skills = SkillRunner(world, self._layout, self._objects)
        self._counter = CollisionCounter(self._model)
        self._lidar = Lidar(lidar or LidarSpec())
        self._steps, self._owed_s = 0, 0.0
        mujoco.mj_forward(self._model, self._data)
        self._scan, self._scan_stamp_s = self._cast(), 0.0

    @property
    def time_s(self) -> float:
        """Simulated seconds since the start."""
        return round(self._steps * STEP_S, 9)

    def sense(self) -> Observation:
        """True pose and speeds, and the newest scan (cast anew once the lidar's period has passed)."""
        due = self.time_s - self._scan_stamp_s >= self._lidar.spec.period_s - STEP_S / 2
        if due and not self.faults.scan_is_silent(self.time_s):
            self._scan, self._scan_stamp_s = self._cast(), self.time_s
        x, y, yaw = self._pose()
        vx, vy = self._data.qvel[self._qvel : self._qvel + 2]
        spec = self._lidar.spec
        return Observation(
            stamp_s=self.time_s, x=x, y=y, yaw=yaw,
            v=float(vx * math.cos(yaw) + vy * math.sin(yaw)), w=float(self._data.qvel[self._qvel + 5]),
            ranges=self._scan.copy(), angle_min=spec.angle_min, angle_increment=spec.angle_increment,
            range_min=spec.range_min_m, range_max=spec.range_max_m, scan_stamp_s=self._scan_stamp_s,
        )  # fmt: skip

    def command(self, v: float, w: float) -> None:
        """Set the wheels' speeds at once; slip is up to the floor."""
        self._data.ctrl[self._wheels] = self.body.wheel_speeds(v, w)

    def advance(self, dt_s: float) -> None:
        """Step the physics by `dt_s` seconds in steps of 2 ms; what is left over counts next time."""
        self._owed_s += dt_s
        while self._owed_s > STEP_S * (1 - 1e-6):
            self._owed_s -= STEP_S
            self._step()

    def start_skill(self, request: SkillRequest) -> None:
        """Begin a skill; see `SkillRunner.start`."""
        self._skills.start(request, self.time_s, self._xy())

    def skill_status(self) -> SkillStatus:
        """State of the skill started last."""
        return self._skills.status

    def cancel_skill(self) -> None:
        """Give up a running skill before it takes effect."""
        self._skills.cancel()

    @property
    def collisions(self) -> tuple[Collision, ...]:
        """All episodes of contact so far."""
        return tuple(self._counter.episodes)

    @property
    def holding(self) -> str | None:
        """The object in the gripper."""
        return self._skills.holding

    @property
    def spoken(self) -> tuple[tuple[float, str], ...]:
        """What was said, with the time at which it ended."""
        return tuple(self._skills.spoken)

    def truth(self) -> GroundTruth:
        """What is truly where, now."""
        return GroundTruth(self.object_places(), self.object_positions(), self.people_positions())

    def object_places(self) -> dict[str, str]:
        """Where every object truly is: a place's name, a person's name, `gripper` or `floor`."""
        return {item.name: self._objects.where(item.name) for item in self.world.objects}

    def object_positions(self) -> dict[str, Point]:
        """x, y of every object in frame `map`."""
        return {item.name: self._objects.position(item.name)[:2] for item in self.world.objects}

    def people_positions(self) -> dict[str, Point]:
        """x, y of every person in frame `map`."""
        return {name: standing.at for name, standing in self._layout.people.items()}

    def drop_scans(self, for_s: float) -> None:
        """Fault hook: the lidar is silent for `for_s` simulated seconds from now."""
        self.faults.drop_scans(self.time_s, for_s)

    def _step(self) -> None:
        self._skills.carry(self._xy())
        mujoco.mj_step(self._model, self._data)
        self._steps += 1
        self._counter.watch(self._data, self.time_s)
        self._skills.tick(self.time_s, self._xy())

    def _xy(self) -> Point:
        x, y = self._data.qpos[self._qpos : self._qpos + 2]
        return (float(x), float(y))

    def _pose(self) -> Pose:
        w, x, y, z = self._data.qpos[self._qpos + 3 : self._qpos + 7]
        return (*self._xy(), math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))

    def _cast(self) -> NDArray[np.float32]:
        return self._lidar.scan(self._model, self._data, *self._pose(), self._noise)


def _shift_objects(layout: Layout, noise: np.random.Generator) -> Layout:
    shifted = {}
    for name, (x, y) in layout.objects.items():
        dx, dy = noise.uniform(-OBJECT_JITTER_M, OBJECT_JITTER_M, 2)
        shifted[name] = (x + float(dx), y + float(dy))
    return Layout(layout.people, shifted)


def _shift_start(start: Pose, noise: np.random.Generator) -> Pose:
    dx, dy = noise.uniform(-START_JITTER_M, START_JITTER_M, 2)
    return (start[0] + float(dx), start[1] + float(dy), start[2] + float(noise.uniform(-1, 1)) * START_JITTER_RAD)
