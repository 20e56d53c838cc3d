"""The robot's body: a disc on two driven wheels and two casters, as MJCF elements."""

from __future__ import annotations

import math
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from premotor_planners.world.model import Pose

ROBOT_GROUP = 4
"""MuJoCo geom group of the robot's own body, which its lidar does not see."""
BASE_JOINT = "robot/base"
WHEEL_JOINTS = ("robot/left_wheel", "robot/right_wheel")
CARRY_HEIGHT_M = 0.32
"""Where the gripper holds an object: above the disc, so that carrying never widens the robot."""


@dataclass(frozen=True)
class RobotBody:
    """Sizes and limits of the base (metres, kilograms, m/s, rad/s)."""

    radius_m: float = 0.22
    wheel_radius_m: float = 0.06
    wheel_separation_m: float = 0.34
    mass_kg: float = 12.0
    max_speed_mps: float = 0.8
    max_turn_radps: float = 2.5

    def wheel_speeds(self, v: float, w: float) -> tuple[float, float]:
        """Left and right wheel speed in rad/s for the clipped command; a command that is not finite is a stop."""
        if not (math.isfinite(v) and math.isfinite(w)):
            return (0.0, 0.0)
        v = max(-self.max_speed_mps, min(self.max_speed_mps, v))
        w = max(-self.max_turn_radps, min(self.max_turn_radps, w))
        difference = w * self.wheel_separation_m / 2
        return ((v - difference) / self.wheel_radius_m, (v + difference) / self.wheel_radius_m)


def add_robot(world_body: ET.Element, actuators: ET.Element, body: RobotBody, start: Pose, grip: float) -> None:
    """Append the robot at `start` to `world_body` and its wheel velocity servos to `actuators`.

    `grip` is the wheels' sliding friction on the floor. Casters are frictionless and say so with priority.
    """
    x, y, yaw = start
    quat = f"{math.cos(yaw / 2):.9f} 0 0 {math.sin(yaw / 2):.9f}"
    robot = ET.SubElement(world_body, "body", name="robot", pos=f"{x:.6f} {y:.6f} 0", quat=quat)
    ET.SubElement(robot, "freejoint", name=BASE_JOINT)
    _add_chassis(robot, body)
    for side, name in ((1, WHEEL_JOINTS[0]), (-1, WHEEL_JOINTS[1])):
        _add_wheel(robot, body, name, side * body.wheel_separation_m / 2, grip)
        # Torque limit above what the tyres can transmit: speed follows at once, and too much of it slips.
        ET.SubElement(actuators, "velocity", name=name, joint=name, kv="4", forcerange="-5 5")


def _add_chassis(robot: ET.Element, body: RobotBody) -> None:
    group = str(ROBOT_GROUP)
    ET.SubElement(
        robot, "geom", name="robot/chassis", type="cylinder", size=f"{body.radius_m} 0.07", pos="0 0 0.11",
        mass=str(body.mass_kg), rgba="0.16 0.20 0.28 1", group=group,
    )  # fmt: skip
    ET.SubElement(
        robot, "geom", name="robot/lidar", type="cylinder", size="0.035 0.02", pos="0 0 0.2",
        mass="0.2", rgba="0.05 0.05 0.05 1", group=group,
    )  # fmt: skip
    for name, offset in (("robot/front_caster", 0.16), ("robot/rear_caster", -0.16)):
        ET.SubElement(
            robot, "geom", name=name, type="sphere", size="0.03", pos=f"{offset} 0 0.0305", mass="0.1",
            friction="0 0 0", priority="1", condim="1", rgba="0.4 0.4 0.4 1", group=group,
        )  # fmt: skip


def _add_wheel(robot: ET.Element, body: RobotBody, name: str, y: float, grip: float) -> None:
    wheel = ET.SubElement(robot, "body", name=name, pos=f"0 {y:.4f} {body.wheel_radius_m}")
    ET.SubElement(wheel, "joint", name=name, type="hinge", axis="0 1 0", armature="0.0005")
    # An ellipsoid touches the floor in one point, so turning on the spot scrubs nothing.
    ET.SubElement(
        wheel, "geom", name=name, type="ellipsoid", size=f"{body.wheel_radius_m} 0.015 {body.wheel_radius_m}",
        mass="0.5", friction=f"{grip:.4f} 0.005 0.0001", priority="1", condim="3", rgba="0.1 0.1 0.1 1",
        group=str(ROBOT_GROUP),
    )  # fmt: skip
