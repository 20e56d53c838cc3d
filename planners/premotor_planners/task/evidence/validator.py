"""Is a plan possible here? Every error is a sentence that a model can use as feedback, or a person can read."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from premotor_planners.task.answers.answer import MAX_STEPS, MAX_TEXT_CHARS, CompactStep
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.plan import (
    Dock,
    Handover,
    Inspect,
    NavigateTo,
    Pick,
    PlaceObject,
    Plan,
    Say,
    Step,
    Wait,
)

MAX_WAIT_S = 12 * 3600.0
"""Longer than this the robot would only stand in the way; such a wish belongs to a scheduler."""

COMPACT_OF = {"navigate_to": "go", "handover": "give"}
"""Skills whose short name differs from the typed one."""


def check_names(steps: Sequence[CompactStep], catalogue: Catalogue) -> list[str]:
    """Errors of compact steps before they are expanded: their number, unknown names, skills that are not here."""
    errors = [] if 0 < len(steps) <= MAX_STEPS else [f"a plan has 1 to {MAX_STEPS} steps, this one has {len(steps)}"]
    allowed = _allowed(catalogue)
    for step in steps:
        if step.skill not in catalogue.skills:
            errors.append(f"the skill {step.skill} is not available; the skills are {', '.join(catalogue.skills)}")
        elif step.skill in allowed and step.name not in allowed[step.skill]:
            errors.append(f"`{step.skill} {step.name}` names nothing known; {_nearest(step.name, allowed[step.skill])}")
    return errors


def validate(
    plan: Plan, catalogue: Catalogue, at: str | None = None, reachable: Collection[str] | None = None
) -> list[str]:
    """Errors of a typed plan: preconditions in order, reachability, bounds. Empty when it can be carried out.

    `reachable` are the places the robot can drive to from where it stands (None: all); `at` is where it stands.
    """
    check = _Check(catalogue, reachable, at, catalogue.holding, dict(catalogue.objects))
    if not plan.steps:
        check.errors.append("the plan has no step; a plan does at least one thing")
    for step in plan.steps:
        skill = COMPACT_OF.get(step.skill, step.skill)
        if skill not in catalogue.skills and not isinstance(step, NavigateTo):
            check.errors.append(f"the skill {skill} is not available; the skills are {', '.join(catalogue.skills)}")
        check.step(step)
    return check.errors


def _allowed(catalogue: Catalogue) -> dict[str, tuple[str, ...]]:
    spots = (*catalogue.places, *catalogue.rooms)
    return {
        "go": (*spots, *catalogue.people),
        "pick": tuple(catalogue.objects),
        "place": spots,
        "give": tuple(catalogue.people),
        "inspect": (*spots, *catalogue.objects),
    }


def _nearest(name: str, names: Iterable[str]) -> str:
    names = tuple(names)
    close = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {close[0]}?" if close else f"known are {', '.join(names) or 'none'}"


@dataclass
class _Check:
    """Walks the plan with the state each step starts from."""

    catalogue: Catalogue
    reachable: Collection[str] | None
    at: str | None
    holding: str | None
    object_at: dict[str, str]
    errors: list[str] = field(default_factory=list)

    def step(self, step: Step) -> None:
        if isinstance(step, NavigateTo):
            self.drive(step.target)
        elif isinstance(step, Pick):
            self.pick(step.object)
        elif isinstance(step, PlaceObject):
            self.put(step)
        elif isinstance(step, Handover):
            self.hand(step)
        else:
            self.other(step)

    def drive(self, target: str) -> None:
        known = (*self.catalogue.places, *self.catalogue.rooms, *self.catalogue.people)
        if target not in known:
            self.errors.append(f"there is no {target} to drive to; {_nearest(target, known)}")
        elif not self.can_reach(target):
            self.errors.append(f"{target} cannot be reached from here; choose another place")
        self.at = target

    def can_reach(self, target: str) -> bool:
        if self.reachable is None or target in self.reachable:
            return True
        if target in self.catalogue.rooms:
            return any(self.catalogue.places.get(place) == target for place in self.reachable)
        return self.catalogue.people.get(target) in self.reachable

    def pick(self, name: str) -> None:
        where = self.object_at.get(name)
        if self.holding:
            self.errors.append(f"the gripper holds {self.holding}; place or give it before picking {name or 'more'}")
        elif where is None:
            self.errors.append(f"{name} is not on any place, so it cannot be picked")
        elif self.at != where:
            self.errors.append(f"{name} is at {where}, but the robot stands at {self.at}; go there before picking")
        self.holding = self.holding or name
        self.object_at.pop(name, None)

    def put(self, step: PlaceObject) -> None:
        if not self.holding or step.object != self.holding:
            self.errors.append(f"the gripper is empty, so nothing can be placed at {step.place}; pick something first")
        elif step.place not in self.catalogue.places:
            self.errors.append(f"{step.place} is not a surface; place things on {', '.join(self.catalogue.places)}")
        elif step.place in self.catalogue.docks:
            self.errors.append(f"{step.place} is a charging station, not a surface; place {step.object} elsewhere")
        elif self.at != step.place:
            self.errors.append(f"the robot stands at {self.at}, not at {step.place}; go there before placing")
        if self.holding:
            self.object_at[self.holding] = step.place
        self.holding = None

    def hand(self, step: Handover) -> None:
        if not self.holding or step.object != self.holding:
            self.errors.append(f"the gripper is empty, so nothing can be given to {step.person}; pick something first")
        elif step.person not in self.catalogue.people:
            self.errors.append(f"there is no {step.person} here; {_nearest(step.person, self.catalogue.people)}")
        elif self.at != step.person:
            self.errors.append(f"the robot is not beside {step.person}; go there before giving")
        self.holding = None

    def other(self, step: Step) -> None:
        if isinstance(step, Wait) and not 0 < step.duration_s <= MAX_WAIT_S:
            hours = f"{MAX_WAIT_S / 3600:g} hours"
            self.errors.append(f"it cannot wait {step.duration_s:g} seconds; 1 second to {hours} is possible")
        elif isinstance(step, Say) and not 0 < len(step.text) <= MAX_TEXT_CHARS:
            self.errors.append(f"a text to say has 1 to {MAX_TEXT_CHARS} characters, this one has {len(step.text)}")
        elif isinstance(step, Inspect):
            self.look(step.target)
        elif isinstance(step, Dock):
            self.charge()

    def look(self, name: str) -> None:
        known = (*self.catalogue.places, *self.catalogue.rooms, *self.catalogue.objects)
        if name not in known:
            self.errors.append(f"there is no {name} to look at; {_nearest(name, known)}")

    def charge(self) -> None:
        docks = sorted(self.catalogue.docks)
        if docks and self.reachable is not None and not any(dock in self.reachable for dock in docks):
            self.errors.append("the charging station cannot be reached from here")
        self.at = docks[0] if docks else self.at
