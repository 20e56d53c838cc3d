"""A robot base that moves on the machine's own clock, as a real one does: limits of speed and acceleration, a lidar."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path

from premotor_foundation.locations import named_config
from premotor_planners.maps.rasterize import rasterize
from premotor_planners.motion.robot import RobotParameters, load_robot
from premotor_planners.world.loader import load_world
from premotor_runtime.app.bench_faults.ray_casting import RayCaster
from premotor_runtime.executor.robot import Observation, SkillRequest, SkillStatus

BEAMS, RANGE_M, SCAN_EVERY_S = 120, 6.0, 0.1
_LONGEST_STEP_S = 0.02


@dataclass(frozen=True)
class MakeBase:
    """Makes the base in the process that calls it."""

    world: Path
    robot: str

    def __call__(self) -> MovingBase:
        """At the start of the world."""
        robot = load_robot(named_config("robots", self.robot))
        world = load_world(self.world, robot.planning_radius_m)
        return MovingBase(robot, world.start, RayCaster(rasterize(world), BEAMS, RANGE_M))


class MovingBase:
    """Satisfies `Plant`. It has no skills: each fails."""

    def __init__(self, robot: RobotParameters, start: tuple[float, float, float], lidar: RayCaster) -> None:
        self._robot, self._lidar = robot, lidar
        self._x, self._y, self._yaw = start
        self._v = self._w = 0.0
        self._wanted = (0.0, 0.0)
        self._at_s = self._scan_s = time.monotonic()
        self._ranges = lidar.ranges(*start)

    def sense(self) -> Observation:
        """Move on by the time that has passed, and look; a new scan ten times a second."""
        now = time.monotonic()
        while self._at_s < now:
            self._move(min(_LONGEST_STEP_S, now - self._at_s))
        if now - self._scan_s >= SCAN_EVERY_S:
            self._ranges, self._scan_s = self._lidar.ranges(self._x, self._y, self._yaw), now
        return Observation(
            now, self._x, self._y, self._yaw, self._v, self._w, self._ranges,
            0.0, 2 * math.pi / BEAMS, 0.02, RANGE_M, self._scan_s,
        )  # fmt: skip

    def command(self, v: float, w: float) -> None:
        """See `Plant.command`."""
        robot = self._robot
        finite = math.isfinite(v) and math.isfinite(w)
        self._wanted = (
            (min(robot.max_forward_mps, max(-robot.max_reverse_mps, v)), _clip(w, robot.max_turn_rps))
            if finite
            else (0.0, 0.0)
        )

    def start_skill(self, request: SkillRequest) -> None:
        """Nothing can be done."""

    def skill_status(self) -> SkillStatus:
        """It failed."""
        return SkillStatus("failed", "this base has no skills")

    def cancel_skill(self) -> None:
        """None runs."""

    def _move(self, dt_s: float) -> None:
        robot = self._robot
        self._v += _clip(self._wanted[0] - self._v, robot.max_accel_mps2 * dt_s)
        self._w += _clip(self._wanted[1] - self._w, robot.max_turn_accel_rps2 * dt_s)
        middle = self._yaw + self._w * dt_s / 2
        self._x += self._v * math.cos(middle) * dt_s
        self._y += self._v * math.sin(middle) * dt_s
        self._yaw = math.remainder(self._yaw + self._w * dt_s, 2 * math.pi)
        self._at_s += dt_s


def _clip(value: float, limit: float) -> float:
    return min(limit, max(-limit, value))
