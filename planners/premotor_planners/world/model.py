"""The world file as frozen dataclasses. Frame `map` (REP-103: metres, x right, y up, yaw counter-clockwise in radians).

One description feeds the catalogue the language model reads, the occupancy grid the planner searches, and the
simulated house, so that the three cannot disagree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from premotor_foundation.strict_yaml import limited

Rectangle = tuple[float, float, float, float]
"""xmin, ymin, xmax, ymax in metres."""

Pose = tuple[float, float, float]
"""x, y in metres, yaw in radians."""


@dataclass(frozen=True)
class Room:
    """A named rectangle of floor."""

    name: str
    area_m: Rectangle


@dataclass(frozen=True)
class Place:
    """Furniture (or the charging dock): a box on the floor, and the pose from which the robot uses it."""

    name: str
    room: str
    area_m: Rectangle
    approach: Pose
    height_m: float = limited(at_least=0.0, at_most=2.5, default=0.75)
    kind: Literal["surface", "dock"] = "surface"
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Item:
    """A thing the gripper can carry, and the place it stands on at the start."""

    name: str
    place: str
    hazard: bool = False
    synonyms: tuple[str, ...] = ()
    color_rgb: tuple[float, float, float] = limited(at_least=0.0, at_most=1.0, default=(0.7, 0.7, 0.7))


@dataclass(frozen=True)
class Person:
    """Somebody, at a place; the person called `user` is the one who speaks ("me")."""

    name: str
    place: str


@dataclass(frozen=True)
class World:
    """A whole world file. Walls are boxes of full height; `start` is where the robot stands."""

    name: str
    rooms: tuple[Room, ...]
    places: tuple[Place, ...]
    objects: tuple[Item, ...]
    people: tuple[Person, ...]
    walls_m: tuple[Rectangle, ...]
    start: Pose
    wall_height_m: float = limited(above=0.2, at_most=5.0, default=2.2)

    @property
    def bounds_m(self) -> Rectangle:
        """The smallest rectangle holding all rooms and walls."""
        areas = [room.area_m for room in self.rooms] + list(self.walls_m)
        return (min(a[0] for a in areas), min(a[1] for a in areas), max(a[2] for a in areas), max(a[3] for a in areas))

    def place(self, name: str) -> Place:
        """The place called `name`; KeyError when there is none (names are checked when the file is read)."""
        return {place.name: place for place in self.places}[name]

    def item(self, name: str) -> Item:
        """The object called `name`; KeyError when there is none."""
        return {item.name: item for item in self.objects}[name]

    def person(self, name: str) -> Person:
        """The person called `name`; KeyError when there is none."""
        return {person.name: person for person in self.people}[name]
