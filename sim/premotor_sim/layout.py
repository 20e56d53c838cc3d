"""Where people stand and objects rest on the furniture, worked out from the world alone (frame `map`, metres)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from premotor_planners.world.model import Place, Rectangle, World
from premotor_sim.errors import SimulationError

Point = tuple[float, float]

REACH_M = 0.9
"""How far the gripper reaches from the robot's centre, in the plane; its lift serves every height of furniture."""
HANDOVER_REACH_M = 1.5
"""Gripper reach and a person's arm together."""
PERSON_RADIUS_M = 0.2
OBJECT_SPACING_M = 0.14
"""Distance between the middles of objects side by side; the largest object is 0.12 m across."""
_EDGE_M = 0.09
_SLACK_M = 0.1  # objects at the start lie this much inside the reach, since the robot parks with a tolerance
_PERSON_GRID_M = 0.1
_PERSON_APART_M = 0.5


@dataclass(frozen=True)
class Standing:
    """A person's upright capsule: middle and radius."""

    at: Point
    radius_m: float


@dataclass(frozen=True)
class Layout:
    """Positions at the start, by name."""

    people: Mapping[str, Standing]
    objects: Mapping[str, Point]


def lay_out(world: World) -> Layout:
    """Stand people on the furniture (never in the way), then put objects side by side near each approach pose.

    Raises SimulationError where a person or object is at a dock, or no spot of a place is within the gripper's reach.
    """
    people = _stand_people(world)
    objects: dict[str, Point] = {}
    for item in world.objects:
        place = world.place(item.place)
        near = _xy(place.approach)
        taken = [at for name, at in objects.items() if world.item(name).place == place.name]
        spot = free_spot(place, near, REACH_M - _SLACK_M, taken, people.values())
        if spot is None:
            raise SimulationError(
                f"object `{item.name}`: place `{place.name}` has no free spot within {REACH_M - _SLACK_M:.1f} m of its "
                "approach pose; move the approach closer, or put fewer objects there"
            )
        objects[item.name] = spot
    return Layout(people, objects)


def free_spot(
    place: Place, near: Point, reach_m: float, taken: Iterable[Point], people: Iterable[Standing]
) -> Point | None:
    """The spot on `place` nearest to `near`, within `reach_m` of it and clear of objects and people; None if none.

    A dock has no spots. People count only while something else is free: a small table may be shared closely.
    """
    if place.kind == "dock":
        return None
    others = list(taken)
    spots = [s for s in _grid(place.area_m, _EDGE_M, OBJECT_SPACING_M) if math.dist(s, near) <= reach_m]
    spots = [s for s in spots if all(math.dist(s, other) >= 0.9 * OBJECT_SPACING_M for other in others)]
    bodies = list(people)
    clear = [s for s in spots if all(math.dist(s, body.at) >= body.radius_m + 0.07 for body in bodies)]
    return min(clear or spots, key=lambda s: (round(math.dist(s, near), 6), s), default=None)


def _stand_people(world: World) -> dict[str, Standing]:
    people: dict[str, Standing] = {}
    for person in world.people:
        place = world.place(person.place)
        if place.kind == "dock":
            raise SimulationError(
                f"person `{person.name}` is at `{place.name}`, where the robot must stand; name a piece of furniture"
            )
        people[person.name] = _stand(place, [p.at for p in people.values()])
    return people


def _stand(place: Place, others: list[Point]) -> Standing:
    """On the furniture's own area, as far from the approach pose as a handover still allows, apart from others."""
    xmin, ymin, xmax, ymax = place.area_m
    radius = min(PERSON_RADIUS_M, (xmax - xmin) / 2, (ymax - ymin) / 2)
    near = _xy(place.approach)
    spots = list(_grid(place.area_m, radius, _PERSON_GRID_M))
    apart = [s for s in spots if all(math.dist(s, other) >= _PERSON_APART_M for other in others)] or spots
    within = [s for s in apart if math.dist(s, near) <= HANDOVER_REACH_M - 2 * _SLACK_M]
    farthest = max(within, key=lambda s: (round(math.dist(s, near), 6), s), default=None)
    return Standing(farthest or min(apart, key=lambda s: math.dist(s, near)), radius)


def _xy(pose: tuple[float, float, float]) -> Point:
    return (pose[0], pose[1])


def _grid(area: Rectangle, edge_m: float, spacing_m: float) -> Iterator[Point]:
    """Points a spacing apart, centred in the area, at least `edge_m` from its sides (the middle line if too narrow)."""
    xmin, ymin, xmax, ymax = area
    for x in _spread(xmin + edge_m, xmax - edge_m, spacing_m):
        for y in _spread(ymin + edge_m, ymax - edge_m, spacing_m):
            yield (x, y)


def _spread(low: float, high: float, spacing: float) -> list[float]:
    count = max(0, math.floor((high - low) / spacing + 1e-9))
    middle = (low + high) / 2
    return [middle + (i - count / 2) * spacing for i in range(count + 1)]
