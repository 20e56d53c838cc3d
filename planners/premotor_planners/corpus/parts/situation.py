"""The world as an instruction goes on, from clause to clause."""

from __future__ import annotations

import random

from premotor_planners.corpus.references.referrer import Referrer
from premotor_planners.corpus.worlds import SampledWorld
from premotor_planners.task.answers.answer import CompactStep


class Situation:
    """One world, and what the clauses before have changed: what they `moved`, and what the gripper is `holding`."""

    def __init__(self, world: SampledWorld, rng: random.Random, terse: bool) -> None:
        self.world, self.rng = world, rng
        self.refer = Referrer(world, rng, terse)
        self.holding: str | None = world.catalogue.holding
        self.moved: set[str] = set()

    def lacks_skill(self, steps: tuple[CompactStep, ...]) -> bool:
        """Whether the robot cannot do one of the steps."""
        return any(step.skill not in self.world.catalogue.skills for step in steps)

    def apply(self, steps: tuple[CompactStep, ...]) -> None:
        """Do the steps: changes `holding` and `moved`."""
        for step in steps:
            if step.skill == "pick":
                self.holding = step.name
                self.moved.add(step.name)
            elif step.skill in ("place", "give"):
                self.holding = None
