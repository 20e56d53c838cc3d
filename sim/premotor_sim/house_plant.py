"""Makes the simulated plant inside the process that drives it."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_planners.motion.robot import RobotParameters
from premotor_planners.world.model import World
from premotor_sim.errors import SimulationError
from premotor_sim.lidar import LidarSpec
from premotor_sim.plant import MujocoPlant
from premotor_sim.robot import RobotBody


@dataclass(frozen=True)
class HousePlant:
    """A picklable recipe: calling it builds the house and the robot."""

    world: World
    robot: RobotParameters
    seed: int

    def __call__(self) -> MujocoPlant:
        """Build it; raises SimulationError for a world or a robot that cannot be built."""
        robot = self.robot
        if robot.footprint_m:
            raise SimulationError(
                f"the robot `{robot.name}` has a `footprint_m`, but the simulated house builds round robots only; "
                "leave it out, so that `footprint_radius_m` counts"
            )
        lidar = LidarSpec(
            beams=robot.lidar.beams,
            height_m=robot.lidar.height_m,
            range_min_m=robot.lidar.range_min_m,
            range_max_m=robot.lidar.range_max_m,
            period_s=robot.period_s,
        )
        body = RobotBody(
            radius_m=robot.footprint_radius_m, max_speed_mps=robot.max_forward_mps, max_turn_radps=robot.max_turn_rps
        )
        return MujocoPlant(self.world, self.seed, body, lidar)
