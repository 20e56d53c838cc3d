"""A world of cylinders with the robot standing in it, as MJCF text."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

from premotor_planners.world.model import Pose
from premotor_sim.barn.robot import BarnRobot
from premotor_sim.barn.world import CylinderWorld

STEP_S = 0.002
OBSTACLE_GROUP, ROBOT_GROUP, FLOOR_GROUP = 0, 4, 3
BASE, WHEELS, FLOOR = "robot/base", ("robot/left_wheel", "robot/right_wheel"), "floor"
_HALF_HEIGHT_M = 0.4


def arena_xml(world: CylinderWorld, robot: BarnRobot, start: Pose, grip: float) -> str:
    """`grip` is the wheels' sliding friction. The chassis has the robot's outline."""
    root = ET.Element("mujoco", model=f"barn {world.name}")
    ET.SubElement(root, "compiler", angle="radian", autolimits="true")
    ET.SubElement(
        root, "option", timestep=str(STEP_S), integrator="implicitfast", cone="elliptic", impratio="10"
    )  # fmt: skip
    bodies = ET.SubElement(root, "worldbody")
    ET.SubElement(bodies, "geom", name=FLOOR, type="plane", size="40 40 1", friction="0.9 0.005 0.0001", group="3")
    for index, (x, y, radius) in enumerate(world.cylinders):
        ET.SubElement(
            bodies, "geom", name=f"cylinder/{index}", type="cylinder", size=f"{radius:.6g} {_HALF_HEIGHT_M}",
            pos=f"{x:.6g} {y:.6g} {_HALF_HEIGHT_M}", group=str(OBSTACLE_GROUP),
        )  # fmt: skip
    _add_robot(bodies, ET.SubElement(root, "actuator"), robot, start, grip)
    return ET.tostring(root, encoding="unicode")


def _add_robot(bodies: ET.Element, actuators: ET.Element, robot: BarnRobot, start: Pose, grip: float) -> None:
    x, y, yaw = start
    body = ET.SubElement(
        bodies, "body", name="robot", pos=f"{x:.6f} {y:.6f} 0",
        quat=f"{math.cos(yaw / 2):.9f} 0 0 {math.sin(yaw / 2):.9f}",
    )  # fmt: skip
    ET.SubElement(body, "freejoint", name=BASE)
    ET.SubElement(
        body, "geom", name="robot/chassis", type="box", pos="0 0 0.12", mass=str(robot.mass_kg),
        size=f"{robot.length_m / 2} {robot.width_m / 2} 0.06", group=str(ROBOT_GROUP),
    )  # fmt: skip
    for name, offset in (("robot/front_caster", 0.2), ("robot/rear_caster", -0.2)):
        ET.SubElement(
            body, "geom", name=name, type="sphere", size="0.03", pos=f"{offset} 0 0.0302", mass="0.1",
            friction="0 0 0", priority="1", condim="1", group=str(ROBOT_GROUP),
        )  # fmt: skip
    for side, name in ((1, WHEELS[0]), (-1, WHEELS[1])):
        _add_wheel(body, robot, name, side * robot.wheel_separation_m / 2, grip)
        ET.SubElement(actuators, "velocity", name=name, joint=name, kv="20", forcerange="-20 20")


def _add_wheel(body: ET.Element, robot: BarnRobot, name: str, y: float, grip: float) -> None:
    radius = robot.wheel_radius_m
    wheel = ET.SubElement(body, "body", name=name, pos=f"0 {y:.4f} {radius}")
    ET.SubElement(wheel, "joint", name=name, type="hinge", axis="0 1 0", armature="0.05")
    # An ellipsoid touches the floor in one point, so turning on the spot scrubs nothing.
    ET.SubElement(
        wheel, "geom", name=name, type="ellipsoid", size=f"{radius} 0.02 {radius}", mass="0.5",
        friction=f"{grip:.4f} 0.005 0.0001", priority="1", condim="3", group=str(ROBOT_GROUP),
    )  # fmt: skip
