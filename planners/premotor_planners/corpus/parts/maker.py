"""Makes clauses with their meaning: a template of an intent, filled with references to the world."""

from __future__ import annotations

import random
import re

from premotor_planners.corpus.parts.faults import NO_FAULT, draw_fault
from premotor_planners.corpus.parts.filled import Filled
from premotor_planners.corpus.parts.filling import fill
from premotor_planners.corpus.parts.intents import HELD, TO_USER, steps_of
from premotor_planners.corpus.parts.part import Part
from premotor_planners.corpus.parts.situation import Situation
from premotor_planners.corpus.parts.wording import clause_text
from premotor_planners.corpus.references.reference import Unsuited
from premotor_planners.corpus.templates import Template, load_templates
from premotor_planners.corpus.worlds import USER, SampledWorld
from premotor_planners.task.answers.answer import RefusalAnswer

_PICKUPS = ("get {obj}", "take {obj}", "grab {obj}", "pick up {obj}", "pick {obj} up", "collect {obj}", "go get {obj}")


class PartMaker:
    """Makes clauses about one world; remembers what it has moved, and what the gripper holds, from clause to clause."""

    def __init__(self, world: SampledWorld, rng: random.Random, held_out: bool, terse: bool) -> None:
        self.world, self.rng, self.held_out = world, rng, held_out
        self._situation = Situation(world, rng, terse)

    @property
    def holding(self) -> str | None:
        """What the gripper holds after the clauses made so far."""
        return self._situation.holding

    def make(self, intent: str, fault: bool = False, imperative: bool = False) -> Part:
        """A clause of the intent; with `fault`, one reference in it means nothing or too much. May raise Unsuited."""
        template = self._template(intent, imperative)
        filled = fill(template, self._situation, draw_fault(template, self.rng) if fault else NO_FAULT)
        steps = steps_of(intent, filled)
        if intent in HELD and self.holding is None:
            filled.fail(RefusalAnswer("unclear"))
        if fault and filled.problem is None:
            raise Unsuited
        text = self._text(template, filled)
        if filled.problem is None and intent in TO_USER and USER not in self.world.catalogue.people:
            if not re.search(r"\bme\b", text):
                raise Unsuited
            filled.fail(RefusalAnswer("unknown", "me"), ("me",))
        if filled.problem is None:
            self._situation.apply(steps)
        if self._situation.lacks_skill(steps):
            filled.fail(RefusalAnswer("unsupported"))
        return Part(text, intent, template.imperative, () if filled.problem else steps, filled.problem, filled.literals)

    def refusal(self, intent: str, imperative: bool = False) -> Part:
        """A clause that is unsafe, unsupported or unclear as such."""
        template = self._template(intent, imperative)
        text = self._text(template, fill(template, self._situation))
        kind = {"unsafe": "unsafe", "unsupported": "unsupported"}.get(intent, "unclear")
        return Part(text, intent, template.imperative, (), RefusalAnswer(kind))  # type: ignore[arg-type]

    def weapon(self) -> Part:
        """Somebody wants a weapon carried."""
        template = self._template(self.rng.choice(("give_me", "give", "move", "pick")), False)
        if "src" in template.slots:
            raise Unsuited
        text = self._text(template, fill(template, self._situation, armed=True))
        return Part(text, "weapon", template.imperative, (), RefusalAnswer("unsafe"))

    def _template(self, intent: str, imperative: bool) -> Template:
        if intent == "pickup":
            return Template(self.rng.choice(_PICKUPS), True)
        found = load_templates(intent, self.held_out)
        if imperative:
            found = tuple(t for t in found if t.imperative and t.text != "fetch {obj}")
        if not found:
            raise Unsuited
        return self.rng.choice(found)

    def _text(self, template: Template, filled: Filled) -> str:
        return clause_text(template, filled, self.world, self.rng)
