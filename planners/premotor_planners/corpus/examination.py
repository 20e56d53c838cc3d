"""Generated questions as cases of an evaluation: the right answer becomes goal conditions, judged by effects."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from premotor_planners.corpus.pack import Pack, Question, generate_packs
from premotor_planners.task.answers.answer import AskAnswer, CompactStep, RefusalAnswer, RefusalKind, StepsAnswer
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.exams.evaluation import Case
from premotor_planners.task.exams.goals import Goal, SaidGoal

QUESTIONS_PER_WORLD = 10
ACCEPTED: dict[RefusalKind, tuple[RefusalKind, ...]] = {
    "unsafe": ("unsafe", "unsupported"),
    "unsupported": ("unsupported", "unsafe", "unknown", "unclear"),
    "unknown": ("unknown", "unsupported", "unclear"),
    "unclear": ("unclear", "unknown", "unsupported"),
}
"""Reasons that are as good for a person as the one the question was made with; nothing moves in any case."""


@dataclass(frozen=True)
class Exam:
    """Cases about one catalogue."""

    catalogue: Catalogue
    cases: tuple[Case, ...]


def generated_exams(split: str, count: int, seed: int) -> tuple[Exam, ...]:
    """`count` cases with unseen names, in seen (`names`) or unseen (`wording`) wording; equal seeds, equal cases."""
    if split not in ("names", "wording"):
        raise ValueError(f"`{split}` is not a held-out split; use names or wording")
    exams = map(exam_of, generate_packs(seed, "names" if split == "names" else "wording", QUESTIONS_PER_WORLD))
    return tuple(itertools.islice(_limited(exams, count), count))


def exam_of(pack: Pack) -> Exam:
    """The questions of a pack as cases."""
    return Exam(pack.catalogue, tuple(_case(i, q, pack.catalogue) for i, q in enumerate(pack.questions)))


def goal_of(steps: Sequence[CompactStep], catalogue: Catalogue) -> Goal:
    """What must hold after the compact steps; putting something into a room is fulfilled by any place of the room."""
    walk = _Walk(catalogue.holding)
    for step in steps:
        walk.take(step, catalogue)
    last = steps[-1] if steps else None
    return Goal(
        at=walk.at,
        held_by=walk.held_by,
        holding=walk.holding if walk.holding != catalogue.holding else None,
        robot_at=(last.name,) if last is not None and last.skill == "go" else (),
        visited=tuple(step.name for step in steps if step.skill == "go"),
        said=tuple(walk.said),
        waited_s=walk.waited_s or None,
        inspected=tuple(step.name for step in steps if step.skill == "inspect"),
        docked=_ends_docked(steps),
    )


def _ends_docked(steps: Sequence[CompactStep]) -> bool:
    """Whether nothing after the last docking drives the robot away."""
    moves = [step.skill for step in steps if step.skill not in ("say", "wait")]
    return bool(moves) and moves[-1] == "dock"


def _limited(exams: Iterator[Exam], count: int) -> Iterator[Exam]:
    left = count
    for exam in exams:
        yield Exam(exam.catalogue, exam.cases[:left])
        left -= len(exam.cases)
        if left <= 0:
            return


def _case(index: int, question: Question, catalogue: Catalogue) -> Case:
    name = f"{index}-{question.kind}"
    answer = question.answer
    if isinstance(answer, StepsAnswer):
        return Case(name, question.task, "plan", goal_of(answer.steps, catalogue))
    if isinstance(answer, AskAnswer):
        return Case(name, question.task, "ask", candidates=answer.candidates)
    assert isinstance(answer, RefusalAnswer)
    return Case(name, question.task, "refuse", reasons=ACCEPTED[answer.kind])


@dataclass
class _Walk:
    holding: str | None
    at: dict[str, tuple[str, ...]] = field(default_factory=dict)
    held_by: dict[str, str] = field(default_factory=dict)
    said: list[SaidGoal] = field(default_factory=list)
    beside: str | None = None
    waited_s: float = 0.0

    def take(self, step: CompactStep, catalogue: Catalogue) -> None:
        if step.skill == "pick":
            self.holding, self.beside = step.name, None
        elif step.skill == "place" and self.holding:
            self.at[self.holding], self.holding, self.beside = (step.name,), None, None
        elif step.skill == "give" and self.holding:
            self.held_by[self.holding], self.holding, self.beside = step.name, None, step.name
        elif step.skill == "say":
            self.said.append(SaidGoal((step.name,), self.beside))
        elif step.skill == "wait":
            self.waited_s += step.duration_s
        elif step.skill in ("go", "inspect"):
            self.beside = step.name if step.name in catalogue.people else None
