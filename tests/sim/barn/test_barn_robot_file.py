from __future__ import annotations

import math

import pytest

from premotor_foundation.locations import named_config
from premotor_planners.motion.footprint import covering_discs
from premotor_planners.motion.robot import load_robot
from premotor_planners.world.loader import load_world
from premotor_sim.barn.robot import BarnRobot
from premotor_sim.errors import SimulationError
from premotor_sim.house_plant import HousePlant


def test_the_robot_file_and_the_robot_of_the_worlds_are_one() -> None:
    file, robot = load_robot(named_config("robots", "jackal")), BarnRobot()
    assert set(file.footprint_m) == set(robot.corners_m) and file.footprint_radius_m == pytest.approx(0.334, abs=1e-3)
    for name in ("max_forward_mps", "max_reverse_mps", "max_turn_rps", "max_accel_mps2", "max_turn_accel_rps2"):
        assert getattr(file, name) == getattr(robot, name), name
    lidar = file.lidar
    assert (lidar.beams, lidar.range_min_m, lidar.range_max_m) == (robot.beams, robot.range_min_m, robot.range_max_m)
    assert math.radians(lidar.field_of_view_deg) == pytest.approx(robot.field_of_view_rad)
    offsets, radius = covering_discs(file.footprint)
    assert offsets == pytest.approx(robot.discs()[0]) and radius == pytest.approx(robot.discs()[1])


def test_the_simulated_house_has_a_round_robot_only() -> None:
    robot = load_robot(named_config("robots", "jackal"))
    world = load_world(named_config("worlds", "house"), 0.25)
    with pytest.raises(SimulationError, match="`footprint_m`"):
        HousePlant(world, robot, 0)()
