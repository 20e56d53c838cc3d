"""Goal conditions of a task, and whether the effects of a plan fulfil them and nothing else.

The keys are those of `tests/golden/plans/*/instructions.yaml`: at, held_by, holding, robot_at, visited, said,
waited_s, inspected, docked. What a goal does not mention must not happen: no other object is moved or kept in the
gripper, nothing else is said, waited for or docked. Driving somewhere and looking are harmless and never counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.effects import Effects, Speech

SECONDS_TOLERANCE = 0.5


@dataclass(frozen=True)
class SaidGoal:
    """Something said `to` a person (None: to nobody in particular), with these words in it, in any case."""

    contains: tuple[str, ...]
    to: str | None = None


@dataclass(frozen=True)
class Goal:
    """What must hold after the plan; empty fields ask for nothing."""

    at: dict[str, tuple[str, ...]] = field(default_factory=dict)
    held_by: dict[str, str] = field(default_factory=dict)
    holding: str | None = None
    robot_at: tuple[str, ...] = ()
    visited: tuple[str, ...] = ()
    said: tuple[SaidGoal, ...] = ()
    waited_s: float | None = None
    inspected: tuple[str, ...] = ()
    docked: bool = False


def unmet(goal: Goal, effects: Effects, catalogue: Catalogue) -> list[str]:
    """One sentence for every condition that the effects miss or overshoot; empty when the goal is fulfilled."""
    return [
        *_objects(goal, effects, catalogue),
        *_motion(goal, effects, catalogue),
        *_speech(goal, effects, catalogue),
        *_others(goal, effects),
    ]


def stands_at(at: str | None, wanted: str, catalogue: Catalogue) -> bool:
    """Whether a robot at `at` is at `wanted`: the name itself, a place or person inside it, or the person's place."""
    if at is None or at == wanted:
        return at == wanted
    place = catalogue.people.get(at, at)
    if wanted in catalogue.people:
        return place == catalogue.people[wanted]
    return wanted in (place, catalogue.places.get(place)) if at not in catalogue.rooms else False


def _objects(goal: Goal, effects: Effects, catalogue: Catalogue) -> list[str]:
    wrong = []
    for name in catalogue.objects:
        where = effects.object_at.get(name)
        if name in goal.at:
            if where not in goal.at[name] and catalogue.places.get(where or "") not in goal.at[name]:
                wrong.append(f"{name} is at {where}, not at {' or '.join(goal.at[name])}")
        elif name in goal.held_by:
            if effects.held_by.get(name) != goal.held_by[name]:
                wrong.append(f"{name} is not with {goal.held_by[name]}")
        elif name == goal.holding:
            if effects.holding != name:
                wrong.append(f"the gripper does not hold {name}")
        elif where != catalogue.objects[name] and name != catalogue.holding:
            wrong.append(f"{name} was moved though nobody asked")
    kept = effects.holding if effects.holding != catalogue.holding else None
    return wrong + ([f"the gripper keeps {kept}"] if kept and kept != goal.holding else [])


def _motion(goal: Goal, effects: Effects, catalogue: Catalogue) -> list[str]:
    wrong = []
    if goal.robot_at and not any(stands_at(effects.robot_at, name, catalogue) for name in goal.robot_at):
        wrong.append(f"the robot ends at {effects.robot_at}, not at {' or '.join(goal.robot_at)}")
    route = iter(effects.visited)
    skipped = [name for name in goal.visited if not any(stands_at(at, name, catalogue) for at in route)]
    return wrong + [f"{name} is not visited in its turn" for name in skipped]


def _speech(goal: Goal, effects: Effects, catalogue: Catalogue) -> list[str]:
    left = list(effects.said)
    wrong = []
    for said in goal.said:
        match = next((speech for speech in left if _is(speech, said, catalogue)), None)
        if match is None:
            wrong.append(f"nothing with {', '.join(said.contains)} is said to {said.to or 'anybody'}")
        else:
            left.remove(match)
    return wrong + [f"`{speech.text}` is said though nobody asked" for speech in left]


def _is(speech: Speech, goal: SaidGoal, catalogue: Catalogue) -> bool:
    text = speech.text.casefold()
    heard = goal.to is None or stands_at(speech.at, goal.to, catalogue)
    return heard and all(words.casefold() in text for words in goal.contains)


def _others(goal: Goal, effects: Effects) -> list[str]:
    wrong = [f"{name} is not inspected" for name in goal.inspected if name not in effects.inspected]
    if abs(effects.waited_s - (goal.waited_s or 0.0)) > SECONDS_TOLERANCE:
        wrong.append(f"it waits {effects.waited_s:g} s, not {goal.waited_s or 0:g} s")
    if effects.docked != goal.docked:
        wrong.append("the robot is not docked" if goal.docked else "the robot docks though nobody asked")
    return wrong
