"""What the decomposer hands on: a plan, or why there is none, with everything that led to it."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_planners.task.language_model import Generation
from premotor_planners.task.outcome import Problem, Question, Refusal
from premotor_planners.task.plan import Plan, PlanOrigin


@dataclass(frozen=True)
class Decision:
    """One judgement on the way, for the record: which stage, and what it found."""

    stage: str
    found: str


@dataclass(frozen=True)
class Decomposition:
    """Exactly one of `plan` and `problem` is set. A problem means that nothing may move."""

    task: str
    plan: Plan | None
    problem: Problem | None
    generations: tuple[Generation, ...] = ()
    decisions: tuple[Decision, ...] = ()
    model: str = "none"

    @property
    def origin(self) -> PlanOrigin | None:
        """Who made the plan: the model, the model after one repair, or the rules; None without a plan."""
        return self.plan.origin if self.plan else None

    @property
    def refusal(self) -> Refusal | None:
        """The refusal, if it is one."""
        return self.problem if isinstance(self.problem, Refusal) else None

    @property
    def question(self) -> Question | None:
        """The question to ask back, if there is one."""
        return self.problem if isinstance(self.problem, Question) else None

    @property
    def message(self) -> str:
        """The one sentence for the person; empty when there is a plan."""
        if self.refusal:
            return self.refusal.reason
        return self.question.text if self.question else ""
