"""Checks on a world's names and rectangles, each yielding where in the file something is wrong, and what."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from premotor_planners.world.model import Place, Rectangle, World
from premotor_planners.world.names import fault_of, nearest

Where = tuple[str | int, ...]
Fault = tuple[Where, str]
MAX_COUNTS = {"rooms": 64, "places": 256, "objects": 512, "people": 64, "walls_m": 1024}
MAX_EXTENT_M = 60.0
MAX_COORDINATE_M = 1000.0
MAX_SYNONYMS = 16
MAX_APPROACH_M = 1.5
_TOUCH_M = 1e-6


def count_faults(world: World) -> Iterator[Fault]:
    """Too many entries, or no room at all."""
    for section, most in MAX_COUNTS.items():
        count = len(getattr(world, section))
        if count > most:
            yield (section,), f"{count} {section}; at most {most} are allowed"
    if not world.rooms:
        yield ("rooms",), "no rooms; a world has at least one"


def name_faults(world: World) -> Iterator[Fault]:
    """Unusable names, and names given twice (over all kinds: an instruction says only the name)."""
    seen: dict[str, tuple[Where, str]] = {}
    for where, name, kind in _named(world):
        fault = fault_of(name, is_person=kind == "person")
        if fault is not None:
            yield where, f"the {kind} name {name!a} {fault}"
        elif name.casefold() in seen:
            yield where, f"the name `{name}` is given twice (also to a {seen[name.casefold()][1]}); names must differ"
        seen.setdefault(name.casefold(), (where, kind))
    yield from _synonym_faults(world, set(seen))


def reference_faults(world: World) -> Iterator[Fault]:
    """Places in unknown rooms, objects and people at unknown places."""
    rooms, places = {room.name for room in world.rooms}, {place.name for place in world.places}
    for i, place in enumerate(world.places):
        if place.room not in rooms:
            yield (
                ("places", i, "room"),
                f"`{place.name}` is in the unknown room `{place.room}`; " + nearest(place.room, rooms),
            )
    for section in ("objects", "people"):
        for i, entry in enumerate(getattr(world, section)):
            if entry.place not in places:
                yield (
                    (section, i, "place"),
                    f"`{entry.name}` is at the unknown place `{entry.place}`; " + nearest(entry.place, places),
                )


def shape_faults(world: World) -> Iterator[Fault]:
    """Rectangles without area, far away or in no room, and a world too large."""
    for where, area in _rectangles(world):
        if area[0] >= area[2] or area[1] >= area[3]:
            yield where, f"the rectangle {list(area)} has no area; it must be [xmin, ymin, xmax, ymax] with min < max"
        elif max(map(abs, area)) > MAX_COORDINATE_M:
            yield where, f"the rectangle {list(area)} is more than {MAX_COORDINATE_M:g} m from the origin"
    xmin, ymin, xmax, ymax = world.bounds_m
    if max(xmax - xmin, ymax - ymin) > MAX_EXTENT_M:
        yield ("rooms",), f"the world is {xmax - xmin:g} x {ymax - ymin:g} m; at most {MAX_EXTENT_M:g} m a side"


def placement_faults(world: World) -> Iterator[Fault]:
    """Places that leave their room, and approach poses or a start inside furniture or walls (as points)."""
    rooms = {room.name: room.area_m for room in world.rooms}
    solids = [("a wall", wall) for wall in world.walls_m] + [(f"`{p.name}`", p.area_m) for p in world.places]
    for i, place in enumerate(world.places):
        if not _within(place.area_m, rooms[place.room]):
            yield ("places", i, "area_m"), _outside(place, rooms[place.room])
        away = _gap(place.approach[:2], place.area_m)
        if away > MAX_APPROACH_M:
            message = f"the approach pose of `{place.name}` is {away:.2f} m away from it; at most {MAX_APPROACH_M:g} m"
            yield ("places", i, "approach"), f"{message} is allowed"
        blocker = _blocker(place.approach[:2], solids)
        if blocker:
            yield ("places", i, "approach"), f"the approach pose of `{place.name}` stands in {blocker}; move it free"
    blocker = _blocker(world.start[:2], solids)
    if blocker:
        yield ("start",), f"the start pose stands in {blocker}; move it free"


def _named(world: World) -> Iterator[tuple[Where, str, str]]:
    sections = (("rooms", "room"), ("places", "place"), ("objects", "object"), ("people", "person"))
    for section, kind in sections:
        for i, entry in enumerate(getattr(world, section)):
            yield (section, i, "name"), entry.name, kind


def _synonym_faults(world: World, names: set[str]) -> Iterator[Fault]:
    for section in ("places", "objects"):
        for i, entry in enumerate(getattr(world, section)):
            if len(entry.synonyms) > MAX_SYNONYMS:
                yield (section, i, "synonyms"), f"{len(entry.synonyms)} synonyms; at most {MAX_SYNONYMS} are allowed"
            for j, word in enumerate(entry.synonyms):
                fault = fault_of(word) or ("is itself a name in this world" if word.casefold() in names else None)
                if fault is not None:
                    yield (section, i, "synonyms", j), f"the synonym {word!a} of `{entry.name}` {fault}"


def _rectangles(world: World) -> Iterator[tuple[Where, Rectangle]]:
    for i, room in enumerate(world.rooms):
        yield ("rooms", i, "area_m"), room.area_m
    for i, place in enumerate(world.places):
        yield ("places", i, "area_m"), place.area_m
    for i, wall in enumerate(world.walls_m):
        yield ("walls_m", i), wall


def _within(inner: Rectangle, outer: Rectangle) -> bool:
    low = inner[0] >= outer[0] - _TOUCH_M and inner[1] >= outer[1] - _TOUCH_M
    return low and inner[2] <= outer[2] + _TOUCH_M and inner[3] <= outer[3] + _TOUCH_M


def _outside(place: Place, room: Rectangle) -> str:
    return f"`{place.name}` {list(place.area_m)} leaves its room `{place.room}` {list(room)}; move it inside"


def _gap(point: Sequence[float], area: Rectangle) -> float:
    """Metres from a point to a rectangle, 0 inside."""
    dx = max(area[0] - point[0], 0.0, point[0] - area[2])
    dy = max(area[1] - point[1], 0.0, point[1] - area[3])
    return math.hypot(dx, dy)


def _blocker(point: Sequence[float], solids: Sequence[tuple[str, Rectangle]]) -> str | None:
    x, y = point
    return next((name for name, (x0, y0, x1, y1) in solids if x0 < x < x1 and y0 < y < y1), None)
