"""The rules alone on the development instructions and the everyday ones: the floor below any language model."""

from __future__ import annotations

from pathlib import Path

from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.decomposer import Decomposer
from premotor_planners.task.exams.evaluation import Case, evaluate, load_cases, summarize
from premotor_planners.task.exams.goals import Goal

GOLDEN = Path(__file__).parents[3] / "golden/plans"


def test_development_instructions(house: Catalogue) -> None:
    summary = summarize(evaluate(Decomposer(None), load_cases(GOLDEN / "development/instructions.yaml").cases, house))
    assert summary.cases == 80
    assert summary.share_correct >= 0.95, summary.failures
    assert summary.share_executed_right == 1.0, summary.failures
    assert summary.share_refused == 1.0, summary.failures


def test_everyday_instructions(house: Catalogue) -> None:
    summary = summarize(evaluate(Decomposer(None), load_cases(GOLDEN / "everyday/instructions.yaml").cases, house))
    assert (summary.cases, summary.correct) == (10, 10), summary.failures


def test_every_kind_of_failure_has_its_verdict(house: Catalogue) -> None:
    cases = (
        Case("a", "take the red mug to the sink", "plan", Goal(at={"red mug": ("sofa",)})),
        Case("b", "bring me the piano", "plan", Goal(held_by={"apple": "user"})),
        Case("c", "bring me the mug", "plan", Goal(held_by={"red mug": "user"})),
        Case("d", "go to the sofa", "refuse", reasons=("unsafe",)),
        Case("e", "bring me the piano", "refuse", reasons=("unsafe",)),
        Case("f", "bring me the mug", "refuse", reasons=("unsafe",)),
        Case("g", "go to the sofa", "ask", candidates=("sofa", "bed")),
        Case("h", "bring me the piano", "ask", candidates=("sofa", "bed")),
        Case("i", "bring me the mug", "ask", candidates=("sofa", "bed")),
        Case("j", "put it on the sofa", "plan", Goal(at={"sponge": ("sofa",)}), holding="sponge"),
    )
    results = evaluate(Decomposer(None), cases, house)
    assert [result.verdict for result in results] == [
        "wrong_executed", "refused_wrongly", "asked_wrongly", "executed_but_should_refuse",
        "refused_for_another_reason", "asked_instead_of_refusing", "executed_but_should_ask",
        "refused_instead_of_asking", "asked_about_others", "correct",
    ]  # fmt: skip
    summary = summarize(results)
    assert (summary.correct, summary.executed, summary.executed_right) == (1, 4, 1)
    assert (summary.must_refuse, summary.must_refuse_refused) == (3, 2)
    assert len(summary.failures) == 9 and summary.failures[0].wrong == ("red mug is at sink, not at sofa",)
