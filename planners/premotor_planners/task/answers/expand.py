"""Compact steps to a typed plan: the driving is inserted, rooms become surfaces, the held object gets its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from premotor_planners.task.answers.answer import CompactStep
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.plan import (
    Dock,
    Handover,
    Inspect,
    NavigateTo,
    Pick,
    PlaceObject,
    Plan,
    PlanOrigin,
    Say,
    Step,
    Wait,
)


def expand(steps: Sequence[CompactStep], catalogue: Catalogue, origin: PlanOrigin, at: str | None = None) -> Plan:
    """The typed plan of known names (see `validator.check_names`); `at` is where the robot stands, if known.

    `navigate_to` is inserted before pick, place, handover and inspect unless the robot already stands there. A room
    to put something into becomes the first surface of the room. An object that cannot be held or found is left for
    the validator to report: it is written with an empty name.
    """
    walk = _Walk(catalogue, at, catalogue.holding, dict(catalogue.objects))
    for step in steps:
        walk.take(step)
    return Plan(tuple(walk.steps), origin)


def collapse(plan: Plan, catalogue: Catalogue, at: str | None = None) -> tuple[CompactStep, ...]:
    """The compact steps of a typed plan: driving that `expand` would insert again is left out."""
    steps = [_compact(step) for step in plan.steps]
    index = 0
    while index < len(steps):
        shorter = steps[:index] + steps[index + 1 :]
        if steps[index].skill == "go" and expand(shorter, catalogue, plan.origin, at).steps == plan.steps:
            steps = shorter
        else:
            index += 1
    return tuple(steps)


def surfaces_of(room: str, catalogue: Catalogue) -> tuple[str, ...]:
    """The places of a room where something can be put down (docks are not), in catalogue order."""
    return tuple(place for place, where in catalogue.places.items() if where == room and place not in catalogue.docks)


def _compact(step: Step) -> CompactStep:
    if isinstance(step, NavigateTo):
        return CompactStep("go", step.target)
    if isinstance(step, Pick):
        return CompactStep("pick", step.object)
    if isinstance(step, PlaceObject):
        return CompactStep("place", step.place)
    if isinstance(step, Handover):
        return CompactStep("give", step.person)
    if isinstance(step, Say):
        return CompactStep("say", step.text)
    if isinstance(step, Wait):
        return CompactStep("wait", "", step.duration_s)
    return CompactStep("inspect", step.target) if isinstance(step, Inspect) else CompactStep("dock")


@dataclass
class _Walk:
    """The state that the steps are written in: where the robot stands, what it holds, where the objects are."""

    catalogue: Catalogue
    at: str | None
    holding: str | None
    object_at: dict[str, str]
    steps: list[Step] = field(default_factory=list)

    def take(self, step: CompactStep) -> None:
        getattr(self, f"_{step.skill}")(step)

    def drive(self, target: str) -> None:
        if target and self.at != target:
            self.steps.append(NavigateTo(target))
            self.at = target

    def _go(self, step: CompactStep) -> None:
        self.steps.append(NavigateTo(step.name))
        self.at = step.name

    def _pick(self, step: CompactStep) -> None:
        self.drive(self.object_at.get(step.name, ""))
        self.steps.append(Pick(step.name))
        if self.holding is None:
            self.holding = step.name
            self.object_at.pop(step.name, None)

    def _place(self, step: CompactStep) -> None:
        rooms = surfaces_of(step.name, self.catalogue) if step.name in self.catalogue.rooms else ()
        place = step.name if step.name in self.catalogue.places else next(iter(rooms), step.name)
        self.drive(place)
        self.steps.append(PlaceObject(self.holding or "", place))
        if self.holding:
            self.object_at[self.holding] = place
        self.holding = None

    def _give(self, step: CompactStep) -> None:
        self.drive(step.name)
        self.steps.append(Handover(self.holding or "", step.name))
        self.holding = None

    def _say(self, step: CompactStep) -> None:
        self.steps.append(Say(step.name))

    def _wait(self, step: CompactStep) -> None:
        self.steps.append(Wait(step.duration_s))

    def _inspect(self, step: CompactStep) -> None:
        known = step.name in self.catalogue.places or step.name in self.catalogue.rooms
        self.drive(step.name if known else self.object_at.get(step.name, ""))
        self.steps.append(Inspect(step.name))

    def _dock(self, step: CompactStep) -> None:
        self.steps.append(Dock())
        self.at = next(iter(sorted(self.catalogue.docks)), None)
