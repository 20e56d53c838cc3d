"""A planar lidar: 360 beams cast together from the robot's centre, level with the floor."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import NDArray

from premotor_sim.house import OBJECT_GROUP, STATIC_GROUP


@dataclass(frozen=True)
class LidarSpec:
    """Mounting height, limits and noise in metres, period in seconds."""

    beams: int = 360
    height_m: float = 0.20
    range_min_m: float = 0.12
    range_max_m: float = 8.0
    noise_m: float = 0.004
    period_s: float = 0.05
    angle_min: float = -math.pi

    @property
    def angle_increment(self) -> float:
        """Radians between beams: a full turn shared by all."""
        return 2 * math.pi / self.beams


@dataclass
class Lidar:
    """Casts scans in a model; sees the house and loose objects, not the robot, what it holds, or marks on the floor."""

    spec: LidarSpec = field(default_factory=LidarSpec)

    def __post_init__(self) -> None:
        self._angles = self.spec.angle_min + self.spec.angle_increment * np.arange(self.spec.beams)
        self._groups = np.zeros(6, np.uint8)
        self._groups[[STATIC_GROUP, OBJECT_GROUP]] = 1
        self._hit = np.zeros(self.spec.beams, np.int32)
        self._distance = np.zeros(self.spec.beams)

    def scan(
        self, model: mujoco.MjModel, data: mujoco.MjData, x: float, y: float, yaw: float, noise: np.random.Generator
    ) -> NDArray[np.float32]:
        """Ranges (REP-117) around (x, y), first beam at yaw + angle_min; noise is Gaussian, cut at three sigma.

        Needs up-to-date kinematics in `data`, which it does not change.
        """
        directions = np.zeros((self.spec.beams, 3))
        directions[:, 0], directions[:, 1] = np.cos(self._angles + yaw), np.sin(self._angles + yaw)
        origin = np.array([x, y, self.spec.height_m])
        mujoco.mj_multiRay(
            model, data, origin, directions.ravel(), self._groups, True, -1, self._hit, self._distance, None,
            self.spec.beams, self.spec.range_max_m,
        )  # fmt: skip
        return self._ranges(noise)

    def _ranges(self, noise: np.random.Generator) -> NDArray[np.float32]:
        sigma = self.spec.noise_m
        error = np.clip(noise.normal(0.0, sigma, self.spec.beams), -3 * sigma, 3 * sigma)
        true = self._distance
        ranges = np.where(true < self.spec.range_min_m, -np.inf, true + error)
        # A miss is -1; a hit beyond the limit is as good as none.
        ranges[(true < 0) | (true > self.spec.range_max_m)] = np.inf
        return np.clip(ranges, -np.inf, np.where(np.isinf(ranges), np.inf, self.spec.range_max_m)).astype(np.float32)
