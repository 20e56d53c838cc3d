"""Odometry that drifts: true motion with scale errors of the run and noise on every increment."""

from __future__ import annotations

import math

import numpy as np

from premotor_planners.motion.state import wrapped
from premotor_planners.world.model import Pose


class Odometry:
    """Starts at the true pose; distance and turning are each off by a factor of the run, normal with deviation `error`.

    The same deviation, relative to the increment, is that of each increment's own noise.
    """

    def __init__(self, start: Pose, error: float, random: np.random.Generator) -> None:
        self._error, self._random = error, random
        self._scale = 1.0 + error * np.clip(random.normal(0.0, 1.0, 2), -2.5, 2.5)
        self._true = self.pose = start
        self.speeds = (0.0, 0.0)

    def moved(self, pose: Pose, dt_s: float) -> None:
        """The robot is truly at `pose` now, `dt_s` after the last call."""
        x, y, yaw = self._true
        dx, dy, turned = pose[0] - x, pose[1] - y, wrapped(pose[2] - yaw)
        middle = yaw + turned / 2
        along, across = dx * math.cos(middle) + dy * math.sin(middle), dy * math.cos(middle) - dx * math.sin(middle)
        factors = self._scale * (1.0 + self._error * self._random.normal(0.0, 1.0, 2))
        along, across, turned = along * factors[0], across * factors[0], turned * factors[1]
        x, y, yaw = self.pose
        middle = yaw + turned / 2
        self.pose = (
            x + float(along * math.cos(middle) - across * math.sin(middle)),
            y + float(along * math.sin(middle) + across * math.cos(middle)),
            wrapped(yaw + float(turned)),
        )
        self.speeds = (float(along / dt_s), float(turned / dt_s))
        self._true = pose
