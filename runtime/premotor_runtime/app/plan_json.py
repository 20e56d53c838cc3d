"""A decomposition as JSON, schema premotor.plan/1."""

from __future__ import annotations

from typing import Any

from premotor_planners.task.decomposition import Decomposition
from premotor_planners.task.plan import step_args

SCHEMA = "premotor.plan/1"


def plan_json(decomposition: Decomposition) -> dict[str, Any]:
    """Everything that led to the outcome; exactly one of `plan`, `question` and `refusal` is not null."""
    refusal, question = decomposition.refusal, decomposition.question
    plan = decomposition.plan
    return {
        "schema": SCHEMA,
        "task": decomposition.task,
        "plan": [{"skill": s.skill, "args": step_args(s)} for s in plan.steps] if plan else None,
        "plan_origin": decomposition.origin,
        "question": {"text": question.text, "candidates": list(question.candidates)} if question else None,
        "refusal": {"kind": refusal.kind, "reason": refusal.reason} if refusal else None,
        "model": decomposition.model,
        "decisions": [{"stage": d.stage, "found": d.found} for d in decomposition.decisions],
        "llm": [
            {
                "text": g.text,
                "prompt_tokens": g.prompt_tokens,
                "output_tokens": g.output_tokens,
                "forced_tokens": g.forced_tokens,
                "ttft_ms": round(g.ttft_s * 1e3, 3),
                "decode_ms": round(g.decode_s * 1e3, 3),
            }
            for g in decomposition.generations
        ],
    }
