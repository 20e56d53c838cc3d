"""What a plan would do to the world, by symbolic simulation: no geometry, no time but waiting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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


@dataclass(frozen=True)
class Speech:
    """Words said, and where the robot stood (a name of the catalogue, None where it started)."""

    text: str
    at: str | None


@dataclass(frozen=True)
class Effects:
    """The state after a plan. An object is in `object_at` (place), `held_by` (person), or is `holding`."""

    robot_at: str | None
    visited: tuple[str, ...]
    holding: str | None
    object_at: Mapping[str, str]
    held_by: Mapping[str, str]
    said: tuple[Speech, ...]
    waited_s: float
    inspected: tuple[str, ...]
    docked: bool


def effects_of(plan: Plan, catalogue: Catalogue, at: str | None = None) -> Effects:
    """Simulate the steps; those whose preconditions fail do what they can (the validator reports them)."""
    state = _State(at, catalogue.holding, dict(catalogue.objects))
    if state.holding:
        state.object_at.pop(state.holding, None)
    for step in plan.steps:
        state.apply(step)
    return state.freeze()


@dataclass
class _State:
    at: str | None
    holding: str | None
    object_at: dict[str, str]
    held_by: dict[str, str] = field(default_factory=dict)
    visited: list[str] = field(default_factory=list)
    said: list[Speech] = field(default_factory=list)
    inspected: list[str] = field(default_factory=list)
    waited_s: float = 0.0
    docked: bool = False

    def apply(self, step: Step) -> None:
        if isinstance(step, NavigateTo):
            self.at, self.docked = step.target, False
            self.visited.append(step.target)
        elif isinstance(step, Pick):
            self.object_at.pop(step.object, None)
            self.holding = step.object
        elif isinstance(step, PlaceObject):
            self.release(self.object_at, step.place)
        elif isinstance(step, Handover):
            self.release(self.held_by, step.person)
        else:
            self.note(step)

    def release(self, where: dict[str, str], name: str) -> None:
        if self.holding:
            where[self.holding] = name
        self.holding = None

    def note(self, step: Step) -> None:
        if isinstance(step, Say):
            self.said.append(Speech(step.text, self.at))
        elif isinstance(step, Wait):
            self.waited_s += step.duration_s
        elif isinstance(step, Inspect):
            self.inspected.append(step.target)
        elif isinstance(step, Dock):
            self.docked = True

    def freeze(self) -> Effects:
        return Effects(
            self.at, tuple(self.visited), self.holding, self.object_at, self.held_by,
            tuple(self.said), self.waited_s, tuple(self.inspected), self.docked,
        )  # fmt: skip
