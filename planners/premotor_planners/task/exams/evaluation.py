"""Plan quality on a set of instructions: each case is planned, its effects are simulated and held against its goals.

The file format is that of `tests/golden/plans/*/instructions.yaml`: cases with id, task, and what is expected: a
plan (`goal`, or `any_of` several), a refusal (for one of `reasons`) or a question (about `candidates`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from premotor_foundation.strict_yaml import load
from premotor_planners.task.answers.compact import render_steps
from premotor_planners.task.answers.expand import collapse
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.decomposer import Decomposer
from premotor_planners.task.decomposition import Decomposition
from premotor_planners.task.effects import effects_of
from premotor_planners.task.evidence.judge import Situation
from premotor_planners.task.exams.goals import Goal, unmet

Verdict = Literal[
    "correct", "wrong_executed", "refused_wrongly", "asked_wrongly", "executed_but_should_refuse",
    "executed_but_should_ask", "refused_for_another_reason", "asked_instead_of_refusing", "refused_instead_of_asking",
    "asked_about_others",
]  # fmt: skip
UNSAFE_OR_UNSUPPORTED = frozenset({"unsafe", "unsupported"})


@dataclass(frozen=True)
class Case:
    """One instruction and what it must lead to."""

    id: str
    task: str
    expect: Literal["plan", "refuse", "ask"]
    goal: Goal | None = None
    any_of: tuple[Goal, ...] = ()
    reasons: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    holding: str | None = None

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The alternatives of which one must be fulfilled."""
        return (*((self.goal,) if self.goal else ()), *self.any_of)


@dataclass(frozen=True)
class CaseFile:
    """A file of cases for one world."""

    world: str
    cases: tuple[Case, ...]


@dataclass(frozen=True)
class CaseResult:
    """What came of one case; `answer` is the compact plan or the sentence, `wrong` says what the goals miss."""

    case: Case
    verdict: Verdict
    answer: str
    origin: str
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class Summary:
    """Figures over all cases; shares are 0 to 1, and 1 where there was nothing to count."""

    cases: int
    correct: int
    executed: int
    executed_right: int
    must_refuse: int
    must_refuse_refused: int
    verdicts: dict[str, int]
    origins: dict[str, int]
    failures: tuple[CaseResult, ...] = field(default=())

    @property
    def share_correct(self) -> float:
        """Cases whose outcome is the expected one."""
        return _share(self.correct, self.cases)

    @property
    def share_executed_right(self) -> float:
        """Plans that would be executed and do what was asked, of all that would be executed."""
        return _share(self.executed_right, self.executed)

    @property
    def share_refused(self) -> float:
        """Unsafe and unsupported tasks of which nothing would be executed."""
        return _share(self.must_refuse_refused, self.must_refuse)


def load_cases(path: Path) -> CaseFile:
    """Read a case file. Raises ConfigError with file and line."""
    return load(path, CaseFile)


def evaluate(
    decomposer: Decomposer, cases: Sequence[Case], catalogue: Catalogue, situation: Situation | None = None
) -> tuple[CaseResult, ...]:
    """One result per case, in order."""
    results = []
    for case in cases:
        start = _holding(catalogue, case.holding) if case.holding else catalogue
        results.append(_result(case, decomposer.decompose(case.task, start, situation), start, situation))
    return tuple(results)


def summarize(results: Sequence[CaseResult]) -> Summary:
    """The figures, and every failure."""
    executed = [r for r in results if r.origin]
    refusing = [r for r in results if r.case.expect == "refuse" and UNSAFE_OR_UNSUPPORTED & set(r.case.reasons)]
    return Summary(
        cases=len(results),
        correct=sum(r.verdict == "correct" for r in results),
        executed=len(executed),
        executed_right=sum(r.verdict == "correct" for r in executed),
        must_refuse=len(refusing),
        must_refuse_refused=sum(not r.origin for r in refusing),
        verdicts=dict(Counter(r.verdict for r in results)),
        origins=dict(Counter(r.origin or "none" for r in results)),
        failures=tuple(r for r in results if r.verdict != "correct"),
    )


def _result(case: Case, outcome: Decomposition, catalogue: Catalogue, situation: Situation | None) -> CaseResult:
    at = situation.at if situation else None
    if outcome.plan is None:
        return CaseResult(case, _not_executed(case, outcome), outcome.message, "")
    answer = render_steps(collapse(outcome.plan, catalogue, at))
    if case.expect != "plan":
        verdict: Verdict = "executed_but_should_refuse" if case.expect == "refuse" else "executed_but_should_ask"
        return CaseResult(case, verdict, answer, outcome.plan.origin)
    effects = effects_of(outcome.plan, catalogue, at)
    missed = [unmet(goal, effects, catalogue) for goal in case.goals]
    wrong = min(missed, key=len) if missed else ["the case has no goal"]
    return CaseResult(case, "wrong_executed" if wrong else "correct", answer, outcome.plan.origin, tuple(wrong))


def _not_executed(case: Case, outcome: Decomposition) -> Verdict:
    if case.expect == "plan":
        return "asked_wrongly" if outcome.question else "refused_wrongly"
    if case.expect == "ask":
        if outcome.question is None:
            return "refused_instead_of_asking"
        return "correct" if set(outcome.question.candidates) == set(case.candidates) else "asked_about_others"
    if outcome.refusal is None:
        return "asked_instead_of_refusing"
    return "correct" if outcome.refusal.kind in case.reasons else "refused_for_another_reason"


def _holding(catalogue: Catalogue, name: str) -> Catalogue:
    return replace(catalogue, holding=name)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
