"""From a compact answer to a verdict: expanded, validated, and held against the words of the instruction."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from premotor_planners.task.answers.answer import CompactStep
from premotor_planners.task.answers.expand import expand
from premotor_planners.task.effects import effects_of
from premotor_planners.task.evidence.doubt import Doubt
from premotor_planners.task.evidence.doubts import doubts
from premotor_planners.task.evidence.validator import check_names, validate
from premotor_planners.task.plan import Plan, PlanOrigin
from premotor_planners.task.reading.reading import Reading


@dataclass(frozen=True)
class Judged:
    """A candidate plan with the errors that make it impossible and the doubts that it is what was meant."""

    steps: tuple[CompactStep, ...]
    plan: Plan | None
    errors: tuple[str, ...]
    doubts: tuple[Doubt, ...]

    @property
    def good(self) -> bool:
        """Whether it may be carried out."""
        return self.plan is not None and not self.errors and not self.doubts

    @property
    def likely(self) -> bool:
        """Whether only mild doubts speak against it: enough for a model that is sure."""
        return self.plan is not None and not self.errors and all(doubt.mild for doubt in self.doubts)


@dataclass(frozen=True)
class Situation:
    """Where the robot stands (None: unknown) and which places it can reach (None: all)."""

    at: str | None = None
    reachable: Collection[str] | None = None


def judge(steps: Sequence[CompactStep], reading: Reading, situation: Situation, origin: PlanOrigin) -> Judged:
    """Check names, expand, validate, then look for evidence."""
    errors = check_names(steps, reading.catalogue)
    if errors:
        return Judged(tuple(steps), None, tuple(errors), ())
    plan = expand(steps, reading.catalogue, origin, situation.at)
    errors = validate(plan, reading.catalogue, situation.at, situation.reachable)
    return Judged(tuple(steps), plan, tuple(errors), tuple(doubts(steps, reading)))


def same_effects(one: Plan, other: Plan, reading: Reading, at: str | None) -> bool:
    """Whether two plans leave the world, the robot and the people told in the same state."""
    first, second = (effects_of(plan, reading.catalogue, at) for plan in (one, other))
    keys = ("holding", "object_at", "held_by", "said", "waited_s", "inspected", "docked", "robot_at")
    return all(getattr(first, key) == getattr(second, key) for key in keys)
