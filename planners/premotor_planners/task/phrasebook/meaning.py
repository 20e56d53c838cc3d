"""From clauses to an answer: references settled, the gripper followed from clause to clause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from premotor_planners.task.answers.answer import (
    MAX_STEPS,
    MAX_TEXT_CHARS,
    Answer,
    CompactStep,
    RefusalAnswer,
    StepsAnswer,
)
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.phrasebook.aliases import best
from premotor_planners.task.phrasebook.intents import (
    CARRY,
    HELD,
    PLACING,
    REFUSED,
    TAKE,
    TELLING,
    TO_SPEAKER,
    steps_of,
)
from premotor_planners.task.phrasebook.matcher import Clause
from premotor_planners.task.phrasebook.settling import Senseless, Settler, Trouble
from premotor_planners.task.reading.naming import SPEAKER

UNTOLD = "?"
"""Held instead of an object whose clause is refused."""


def meaning(clauses: Sequence[Clause], catalogue: Catalogue) -> Answer:
    """The plan, refusal or question. Raises Senseless."""
    scene = _Scene(catalogue, Settler(catalogue), catalogue.holding, len(clauses) > 1)
    problems: dict[Answer, None] = {}
    steps: list[CompactStep] = []
    for clause, after in zip(clauses, (*clauses[1:], None), strict=True):
        if clause.leaf.intent == "pickup" and (after is None or after.leaf.intent not in (*HELD, "go_me")):
            raise Senseless
        try:
            steps += scene.take(clause)
        except Trouble as trouble:
            problems[trouble.answer] = None
    if len(problems) > 1 or len(steps) > MAX_STEPS:
        raise Senseless
    return next(iter(problems)) if problems else StepsAnswer(tuple(steps))


@dataclass
class _Scene:
    catalogue: Catalogue
    settler: Settler
    holding: str | None
    joined: bool
    moved: set[str] = field(default_factory=set)

    def take(self, clause: Clause) -> tuple[CompactStep, ...]:
        """The steps of a clause; the gripper is afterwards as they leave it."""
        intent = clause.leaf.intent
        if intent in REFUSED:
            self._check_remark(clause)
            raise Trouble(RefusalAnswer(intent))  # type: ignore[arg-type]
        self._check_gripper(intent)
        if intent in TAKE:
            self.holding = UNTOLD
        elif intent in CARRY or intent in HELD:
            self.holding = None
        return self._steps(clause, intent)

    def _check_remark(self, clause: Clause) -> None:
        """A remark stands alone; polite words around it, or a place after a thing, make it a short command."""
        if clause.leaf.intent == "unclear":
            named = [filling.reference for filling in clause.fillings if filling.reference]
            located = any(reference.where is not None for reference in named)
            if self.joined or located or (named and clause.wrapped):
                raise Senseless

    def _check_gripper(self, intent: str) -> None:
        if intent in CARRY and self.holding:
            raise Senseless
        if intent in HELD and not self.holding:
            if self.joined:
                raise Senseless
            raise Trouble(RefusalAnswer("unclear"))

    def _steps(self, clause: Clause, intent: str) -> tuple[CompactStep, ...]:
        objects = self._objects(clause)
        target = self._target(clause, intent)
        if target in self.catalogue.docks and intent == "go":
            intent = "dock"
        seconds = next((f.seconds for f in clause.fillings if f.slot == "duration"), 0.0)
        steps = steps_of(intent, objects, target, seconds, self._message(clause))
        if intent in TO_SPEAKER and SPEAKER not in self.catalogue.people:
            if not clause.leaf.first_person:
                raise Senseless
            raise Trouble(RefusalAnswer("unknown", "me"))
        if any(step.skill not in self.catalogue.skills for step in steps):
            raise Trouble(RefusalAnswer("unsupported"))
        if self.moved & set(objects):
            raise Senseless
        self.moved |= set(objects)
        return steps

    def _message(self, clause: Clause) -> str:
        message = next((f.message for f in clause.fillings if f.message), "")
        if len(message) > MAX_TEXT_CHARS or '"' in message:
            raise Senseless
        return message

    def _objects(self, clause: Clause) -> tuple[str, ...]:
        plural, one = clause.reference("plural"), clause.reference("obj")
        if plural is not None:
            return self.settler.all(plural, clause.leaf.both)
        if one is None:
            return ()
        if one.weapon:
            raise Trouble(RefusalAnswer("unsafe"))
        found = self.settler.one(one, clause.reference("src"))
        other = clause.reference("other")
        if other is not None and (not other.options or found in best(other.options)):
            raise Senseless
        return (found,)

    def _target(self, clause: Clause, intent: str) -> str:
        if intent in TO_SPEAKER:
            return SPEAKER
        slots = (clause.reference(slot) for slot in ("dst", "target", "person"))
        name = next((self.settler.one(reference) for reference in slots if reference is not None), "")
        if name == SPEAKER and intent in TELLING:
            raise Senseless
        if name in self.catalogue.docks and (intent in PLACING or intent == "go_wait"):
            raise Senseless
        return name
