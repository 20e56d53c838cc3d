"""A world as MJCF text: floor, walls, furniture, people and objects, with the robot standing in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from premotor_planners.world.model import Item, Pose, Rectangle, World
from premotor_sim.layout import Layout, Point, Standing
from premotor_sim.robot import RobotBody, add_robot

STEP_S = 0.002
STATIC_GROUP, OBJECT_GROUP, MARK_GROUP = 0, 1, 3
"""MuJoCo geom groups: solid house, loose objects, and what is only drawn (floor, dock)."""
PERSON_HEIGHT_M = 1.7
_FLAT = ("book", "newspaper", "notebook", "dictionary", "glasses", "magazine", "letter", "tablet", "remote")
_BOXY = ("box", "stapler", "sponge", "parcel", "package", "carton", "radio", "phone")
_COLORS = {"wall": "0.93 0.91 0.87 1", "place": "0.72 0.56 0.40 1", "person": "0.35 0.47 0.65 1"}


@dataclass(frozen=True)
class ObjectShape:
    """A small solid: MuJoCo type, sizes and half its height, in metres."""

    type: str
    size: tuple[float, ...]
    half_height_m: float


def object_shape(name: str) -> ObjectShape:
    """Flat box, box or upright cylinder, by the last word of the name; a cylinder for whatever is not known."""
    noun = name.lower().rsplit(" ", 1)[-1]
    if noun in _FLAT:
        return ObjectShape("box", (0.05, 0.035, 0.012), 0.012)
    if noun in _BOXY:
        return ObjectShape("box", (0.045, 0.03, 0.03), 0.03)
    return ObjectShape("cylinder", (0.035, 0.05), 0.05)


def house_xml(world: World, layout: Layout, body: RobotBody, start: Pose, grip: float = 0.9) -> str:
    """MJCF of the house. Geoms are named `kind/name` (`wall/3`, `place/sofa`, `person/Anna`, `object/red mug`).

    `start` is where the robot stands, `grip` its wheels' friction. Static things collide with the robot and objects;
    the floor and docks are marks, docks without contact.
    """
    root = ET.Element("mujoco", model=world.name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="true")
    option = ET.SubElement(
        root, "option", timestep=str(STEP_S), integrator="implicitfast", cone="elliptic", impratio="10"
    )  # fmt: skip
    # Objects at rest sleep until touched: a step of a house with 14 objects then takes a sixth of the time.
    ET.SubElement(option, "flag", sleep="enable")
    bodies = ET.SubElement(root, "worldbody")
    ET.SubElement(bodies, "light", pos="0 0 6", dir="0 0 -1", directional="true")
    _add_floor(bodies, world.bounds_m)
    _add_walls(bodies, world)
    _add_places(bodies, world)
    for name, standing in layout.people.items():
        _add_person(bodies, name, standing)
    for item in world.objects:
        height = world.place(item.place).height_m
        _add_object(bodies, item, layout.objects[item.name], height)
    add_robot(bodies, ET.SubElement(root, "actuator"), body, start, grip)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode")


def _add_floor(bodies: ET.Element, bounds: Rectangle) -> None:
    xmin, ymin, xmax, ymax = bounds
    ET.SubElement(
        bodies, "geom", name="floor", type="plane", pos=_text(((xmin + xmax) / 2, (ymin + ymax) / 2, 0)),
        size=_text(((xmax - xmin) / 2 + 1, (ymax - ymin) / 2 + 1, 0.1)), friction="0.9 0.005 0.0001",
        rgba="0.82 0.80 0.76 1", group=str(MARK_GROUP),
    )  # fmt: skip


def _add_walls(bodies: ET.Element, world: World) -> None:
    for index, area in enumerate(world.walls_m):
        _add_box(bodies, f"wall/{index}", area, world.wall_height_m, _COLORS["wall"])


def _add_places(bodies: ET.Element, world: World) -> None:
    for place in world.places:
        if place.kind == "dock":
            mark = _add_box(bodies, f"dock/{place.name}", place.area_m, 0.004, "0.20 0.62 0.45 1")
            mark.attrib.update(contype="0", conaffinity="0", group=str(MARK_GROUP))
        else:
            _add_box(bodies, f"place/{place.name}", place.area_m, place.height_m, _COLORS["place"])


def _add_box(bodies: ET.Element, name: str, area: Rectangle, height_m: float, rgba: str) -> ET.Element:
    xmin, ymin, xmax, ymax = area
    half = max(height_m / 2, 0.001)
    return ET.SubElement(
        bodies, "geom", name=name, type="box", pos=_text(((xmin + xmax) / 2, (ymin + ymax) / 2, half)),
        size=_text(((xmax - xmin) / 2, (ymax - ymin) / 2, half)), rgba=rgba, group=str(STATIC_GROUP),
    )  # fmt: skip


def _add_person(bodies: ET.Element, name: str, standing: Standing) -> None:
    (x, y), radius = standing.at, standing.radius_m
    ET.SubElement(
        bodies, "geom", name=f"person/{name}", type="capsule", size=_text((radius,)),
        fromto=_text((x, y, radius, x, y, PERSON_HEIGHT_M - radius)), rgba=_COLORS["person"],
        group=str(STATIC_GROUP),
    )  # fmt: skip


def _add_object(bodies: ET.Element, item: Item, at: Point, height_m: float) -> None:
    shape = object_shape(item.name)
    body = ET.SubElement(
        bodies, "body", name=f"object/{item.name}", pos=_text((*at, height_m + shape.half_height_m))
    )  # fmt: skip
    ET.SubElement(body, "freejoint", name=f"object/{item.name}")
    ET.SubElement(
        body, "geom", name=f"object/{item.name}", type=shape.type, size=_text(shape.size), mass="0.25",
        rgba=_text((*item.color_rgb, 1)), group=str(OBJECT_GROUP),
    )  # fmt: skip


def _text(numbers: Iterable[float]) -> str:
    return " ".join(f"{number:.6g}" for number in numbers)
