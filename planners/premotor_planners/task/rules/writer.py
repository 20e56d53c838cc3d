"""From intents to compact steps, with the gripper followed from one to the next."""

from __future__ import annotations

from dataclasses import dataclass, field

from premotor_planners.task.answers.answer import CompactStep
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.outcome import unclear
from premotor_planners.task.rules.intents import Intent
from premotor_planners.task.rules.resolve import StuckError


@dataclass
class Writer:
    """Writes compact steps, keeping track of the gripper."""

    catalogue: Catalogue
    holding: str | None
    steps: list[CompactStep] = field(default_factory=list)

    def write(self, intent: Intent) -> None:
        """The steps of one intent. Raises StuckError where the gripper is not free for it."""
        getattr(self, f"_{intent.kind}")(intent)

    def take(self, name: str) -> None:
        """Pick the object up, unless it is held already."""
        if self.holding == name:
            return
        if self.holding:
            raise StuckError(unclear(f"I would still hold the {self.holding} then; tell me where to put it first."))
        self.steps.append(CompactStep("pick", name))
        self.holding = name

    def _transport(self, intent: Intent) -> None:
        for name in intent.objects:
            self.take(name)
            self.steps.append(CompactStep("place", intent.target))
            self.holding = None

    def _give(self, intent: Intent) -> None:
        for name in intent.objects:
            self.take(name)
            self.steps.append(CompactStep("give", intent.target))
            self.holding = None

    def _hold(self, intent: Intent) -> None:
        if len(intent.objects) > 1:
            raise StuckError(unclear("I can hold one thing at a time; which one?"))
        self.take(intent.objects[0])
        if intent.target:
            self.steps.append(CompactStep("go", intent.target))

    def _go(self, intent: Intent) -> None:
        self.steps.append(CompactStep("go", intent.target))

    def _inspect(self, intent: Intent) -> None:
        self.steps.append(CompactStep("inspect", intent.target))

    def _dock(self, intent: Intent) -> None:
        self.steps.append(CompactStep("dock"))

    def _wait(self, intent: Intent) -> None:
        self.steps.append(CompactStep("wait", "", intent.seconds))

    def _say(self, intent: Intent) -> None:
        if intent.target:
            already = self.steps and self.steps[-1] in (
                CompactStep("go", intent.target),
                CompactStep("give", intent.target),
            )
            if not already:
                self.steps.append(CompactStep("go", intent.target))
        self.steps.append(CompactStep("say", intent.text))
