"""The typed plan: an ordered list of steps, each a skill with typed arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

SkillName = Literal["navigate_to", "pick", "place", "handover", "say", "wait", "inspect", "dock"]


@dataclass(frozen=True)
class NavigateTo:
    """Drive to a place, a room (its free middle) or a person."""

    target: str
    skill: Literal["navigate_to"] = "navigate_to"


@dataclass(frozen=True)
class Pick:
    """Take `object` into the gripper; the robot stands at the object's place."""

    object: str
    skill: Literal["pick"] = "pick"


@dataclass(frozen=True)
class PlaceObject:
    """Put the held object down on `place`, where the robot stands."""

    object: str
    place: str
    skill: Literal["place"] = "place"


@dataclass(frozen=True)
class Handover:
    """Give the held object to `person`, beside whom the robot stands."""

    object: str
    person: str
    skill: Literal["handover"] = "handover"


@dataclass(frozen=True)
class Say:
    """Speak `text`."""

    text: str
    skill: Literal["say"] = "say"


@dataclass(frozen=True)
class Wait:
    """Stand still for `duration_s` seconds."""

    duration_s: float
    skill: Literal["wait"] = "wait"


@dataclass(frozen=True)
class Inspect:
    """Look closely at a place, room or object from where the robot stands."""

    target: str
    skill: Literal["inspect"] = "inspect"


@dataclass(frozen=True)
class Dock:
    """Stand on the charging dock."""

    skill: Literal["dock"] = "dock"


Step: TypeAlias = NavigateTo | Pick | PlaceObject | Handover | Say | Wait | Inspect | Dock
PlanOrigin: TypeAlias = Literal["llm", "repaired", "fallback"]


@dataclass(frozen=True)
class Plan:
    """Steps in order, and where they came from (never hidden: it is in every result)."""

    steps: tuple[Step, ...]
    origin: PlanOrigin


def step_args(step: Step) -> dict[str, str | float]:
    """The arguments of a step by name, without the skill's own name."""
    return {key: value for key, value in vars(step).items() if key != "skill"}
