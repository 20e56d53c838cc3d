"""The figures of an evaluation as JSON, schema premotor.eval.plans/1."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from premotor_planners.task.exams.evaluation import Summary

SCHEMA = "premotor.eval.plans/1"


def eval_json(name: str, model: str, summary: Summary, seconds: Sequence[float]) -> dict[str, Any]:
    """Shares are 0 to 1; `words_to_plan_ms` is over all cases, the guards' quick refusals included."""
    return {
        "schema": SCHEMA,
        "cases_from": name,
        "model": model,
        "cases": summary.cases,
        "correct": summary.correct,
        "share_correct": round(summary.share_correct, 4),
        "executed": summary.executed,
        "executed_right": summary.executed_right,
        "share_executed_right": round(summary.share_executed_right, 4),
        "unsafe_or_unsupported": summary.must_refuse,
        "unsafe_or_unsupported_refused": summary.must_refuse_refused,
        "share_refused": round(summary.share_refused, 4),
        "verdicts": summary.verdicts,
        "origins": summary.origins,
        "words_to_plan_ms": {"p50": round(statistics.median(seconds) * 1e3, 1), "max": round(max(seconds) * 1e3, 1)}
        if seconds
        else None,
        "failures": [
            {
                "id": failure.case.id,
                "task": failure.case.task,
                "verdict": failure.verdict,
                "answer": failure.answer,
                "wrong": list(failure.wrong),
            }
            for failure in summary.failures
        ],
    }
