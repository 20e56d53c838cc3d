"""Runs an evaluation case by case, with a clock and a progress bar where somebody watches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console
from rich.progress import track

from premotor_planners.corpus.examination import Exam
from premotor_planners.task.decomposer import Decomposer
from premotor_planners.task.exams.evaluation import CaseResult, evaluate
from premotor_runtime.executor.clock import Clock


@dataclass(frozen=True)
class Timed:
    """Results and, for each case, the seconds from words to outcome."""

    results: tuple[CaseResult, ...]
    seconds: tuple[float, ...]


def run_exams(decomposer: Decomposer, exams: Iterable[Exam], clock: Clock, console: Console) -> Timed:
    """Every case of every exam, in order."""
    cases = [(exam.catalogue, case) for exam in exams for case in exam.cases]
    results: list[CaseResult] = []
    seconds: list[float] = []
    for catalogue, case in track(cases, "Planning", console=console, disable=not console.is_terminal, transient=True):
        started = clock.now()
        results += evaluate(decomposer, [case], catalogue)
        seconds.append(clock.now() - started)
    return Timed(tuple(results), tuple(seconds))
