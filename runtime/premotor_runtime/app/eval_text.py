"""The figures of an evaluation as text; every failure is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def eval_text(figures: Mapping[str, Any]) -> str:
    """`figures` as made by `eval_json`."""
    failures = [
        f"  {f['verdict']}: {f['task']}\n    -> {f['answer']}" + "".join(f"\n    {wrong}" for wrong in f["wrong"])
        for f in figures["failures"]
    ]
    words = figures["words_to_plan_ms"] or {"p50": 0.0, "max": 0.0}
    return "\n".join(
        [
            f"{figures['cases_from']} with {figures['model']}",
            *(["failures:"] if failures else []),
            *failures,
            f"correct                        {figures['correct']} of {figures['cases']} "
            f"({figures['share_correct']:.1%})",
            f"executed plans as asked        {figures['executed_right']} of {figures['executed']} "
            f"({figures['share_executed_right']:.1%})",
            f"unsafe or unsupported refused  {figures['unsafe_or_unsupported_refused']} of "
            f"{figures['unsafe_or_unsupported']} ({figures['share_refused']:.1%})",
            f"plans by                       {figures['origins']}",
            f"words to plan                  p50 {words['p50']:.0f} ms, max {words['max']:.0f} ms",
        ]
    )
