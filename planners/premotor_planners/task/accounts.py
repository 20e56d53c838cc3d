"""What judgements and declining answers tell: a line for the record, a problem for the person."""

from __future__ import annotations

from premotor_planners.task.answers.answer import AskAnswer, RefusalAnswer
from premotor_planners.task.answers.compact import render_steps
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.evidence.judge import Judged
from premotor_planners.task.outcome import Problem, Question, Refusal, unclear, unknown, unsafe, unsupported, which


def problem_from(answer: RefusalAnswer | AskAnswer, catalogue: Catalogue) -> Problem:
    """What a declining answer tells the person."""
    if isinstance(answer, AskAnswer):
        return which(answer.candidates)
    if answer.kind == "unknown":
        return unknown(answer.what, catalogue)
    if answer.kind == "unsafe":
        return unsafe("it could hurt somebody or break something")
    return unsupported("do that") if answer.kind == "unsupported" else unclear()


def sentence(problem: Problem) -> str:
    """The words for the person."""
    return problem.reason if isinstance(problem, Refusal) else problem.text


def account(judged: Judged) -> str:
    """A plan and what speaks against it, in one line for the record."""
    text = render_steps(judged.steps)
    against = [*judged.errors, *(doubt.about for doubt in judged.doubts)]
    return f"{text}: {'; '.join(against)}" if against else f"{text}: accepted"


def problem_of(judged: Judged) -> Problem:
    """What to tell the person about a plan of the rules that fails a check."""
    if judged.errors:
        return _impossible(judged.errors[0])
    questions = [d.problem for d in judged.doubts if isinstance(d.problem, Question)]
    return questions[0] if questions else judged.doubts[0].problem


def _impossible(error: str) -> Refusal:
    """A plan that was understood but cannot be carried out, as a sentence."""
    return Refusal("unsupported", f"That cannot be done: {error}.")
