"""What the robot's own skills need and do: pure rules from a situation to an effect, or to a reason why not."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from premotor_planners.world.model import Rectangle, World
from premotor_runtime.executor.robot import SkillRequest
from premotor_sim.layout import HANDOVER_REACH_M, REACH_M, Point, Standing, free_spot
from premotor_sim.objects import FLOOR, Point3

GRIP_S = 1.5
INSPECT_S = 2.0
DOCK_S = 1.0
SIGHT_M = 2.0
"""From how far something can be inspected."""
_DOCKED_M = 0.35


@dataclass(frozen=True)
class Situation:
    """The truth at one moment: robot position, what is held, where objects are (position, and whose or which place)."""

    world: World
    robot: Point
    held: str | None
    positions: Mapping[str, Point3]
    whereabouts: Mapping[str, str]
    people: Mapping[str, Standing]


@dataclass(frozen=True)
class Taken:
    """The gripper holds `object`."""

    object: str


@dataclass(frozen=True)
class PutDown:
    """`object` stands at `at` on a surface `surface_m` high."""

    object: str
    at: Point
    surface_m: float


@dataclass(frozen=True)
class Given:
    """`person` holds `object`."""

    object: str
    person: str


@dataclass(frozen=True)
class Spoken:
    """`text` was said (empty for skills that change nothing)."""

    text: str = ""


@dataclass(frozen=True)
class Impossible:
    """Why the skill cannot be done here and now; one sentence."""

    reason: str


Effect: TypeAlias = Taken | PutDown | Given | Spoken
Outcome: TypeAlias = Effect | Impossible


def duration_s(request: SkillRequest) -> float:
    """Simulated seconds that the skill takes."""
    if request.skill == "wait":
        return float(request.args["duration_s"])
    if request.skill == "say":
        return min(4.0, max(0.5, 0.06 * len(str(request.args["text"]))))
    return {"inspect": INSPECT_S, "dock": DOCK_S}.get(request.skill, GRIP_S)


def outcome(request: SkillRequest, now: Situation) -> Outcome:
    """What the skill would do if it ended in situation `now`. An unknown skill or a missing argument is Impossible."""
    rule = _RULES.get(request.skill)
    if rule is None:
        return Impossible(f"the robot has no skill `{request.skill}`; it has {', '.join(_RULES)}")
    try:
        return rule(request.args, now)
    except KeyError as error:
        return Impossible(f"`{request.skill}` names {error.args[0]!r}, which is not there")


def _pick(args: Mapping[str, str | float], now: Situation) -> Outcome:
    name = str(args["object"])
    x, y, _ = now.positions[name]
    if now.held is not None:
        return Impossible(f"already holding {now.held}")
    where, away = now.whereabouts[name], math.dist(now.robot, (x, y))
    if where in now.people:
        return Impossible(f"{where} has the {name}")
    if where == FLOOR:
        return Impossible(f"the {name} lies on the floor, below the gripper")
    if away > REACH_M:
        return Impossible(f"too far: the {name} is {away:.2f} m away and the gripper reaches {REACH_M} m")
    return Taken(name)


def _place(args: Mapping[str, str | float], now: Situation) -> Outcome:
    name, place = str(args["object"]), now.world.place(str(args["place"]))
    if now.held != name:
        return Impossible(f"not holding the {name}")
    if place.kind == "dock":
        return Impossible(f"{place.name} is the dock, where nothing can be put down")
    taken = [now.positions[other][:2] for other, where in now.whereabouts.items() if where == place.name]
    spot = free_spot(place, now.robot, REACH_M, taken, now.people.values())
    if spot is None:
        return Impossible(f"no free spot on the {place.name} within {REACH_M} m of the robot")
    return PutDown(name, spot, place.height_m)


def _handover(args: Mapping[str, str | float], now: Situation) -> Outcome:
    name, person = str(args["object"]), str(args["person"])
    away = math.dist(now.robot, now.people[person].at)
    if now.held != name:
        return Impossible(f"not holding the {name}")
    if away > HANDOVER_REACH_M:
        return Impossible(f"too far: {person} is {away:.2f} m away and a handover spans {HANDOVER_REACH_M} m")
    return Given(name, person)


def _say(args: Mapping[str, str | float], now: Situation) -> Outcome:
    return Spoken(str(args["text"]))


def _wait(args: Mapping[str, str | float], now: Situation) -> Outcome:
    duration = args["duration_s"]
    if isinstance(duration, str) or not 0.0 <= duration < math.inf:
        return Impossible(f"cannot wait {duration!r} seconds; give a number that is not negative")
    return Spoken()


def _inspect(args: Mapping[str, str | float], now: Situation) -> Outcome:
    away = _distance_to(str(args["target"]), now)
    if away > SIGHT_M:
        return Impossible(f"too far to see: {args['target']} is {away:.2f} m away, sight ends at {SIGHT_M} m")
    return Spoken()


def _dock(args: Mapping[str, str | float], now: Situation) -> Outcome:
    docks = [place for place in now.world.places if place.kind == "dock"]
    if not docks:
        return Impossible("this world has no dock")
    away = min(min(math.dist(now.robot, dock.approach[:2]), _outside(now.robot, dock.area_m)) for dock in docks)
    return Spoken() if away <= _DOCKED_M else Impossible(f"not at the dock: {away:.2f} m away")


def _distance_to(target: str, now: Situation) -> float:
    if target in now.positions:
        return math.dist(now.robot, now.positions[target][:2])
    if target in now.people:
        return math.dist(now.robot, now.people[target].at)
    for room in now.world.rooms:
        if room.name == target:
            return _outside(now.robot, room.area_m)
    return _outside(now.robot, now.world.place(target).area_m)


def _outside(point: Point, area: Rectangle) -> float:
    """Distance of a point from a rectangle; 0 inside."""
    xmin, ymin, xmax, ymax = area
    return math.hypot(max(xmin - point[0], 0.0, point[0] - xmax), max(ymin - point[1], 0.0, point[1] - ymax))


_RULES: dict[str, Callable[[Mapping[str, str | float], Situation], Outcome]] = {
    "pick": _pick,
    "place": _place,
    "handover": _handover,
    "say": _say,
    "wait": _wait,
    "inspect": _inspect,
    "dock": _dock,
}
