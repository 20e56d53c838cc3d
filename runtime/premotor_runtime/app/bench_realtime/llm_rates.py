"""Tokens a second that went through the model, prompts and outputs alike. Pure.

A token of an output costs more time than one of a prompt, and a load that has just begun has hardly any: so two runs
are compared over the same work, the first so many tokens of the one sequence of requests that all are given.
"""

from __future__ import annotations

from dataclasses import dataclass

from premotor_runtime.app.bench_realtime.messages import LlmFound


@dataclass(frozen=True)
class LlmFigures:
    """`tok_s` of prompts and outputs, `output_tok_s` of outputs alone; `steps_past_release` on a shared lane."""

    tok_s: float
    output_tok_s: float
    tokens: int
    output_tokens: int
    seconds: float
    bounded_steps: int = 0
    steps_past_release: int = 0


def llm_figures(found: LlmFound) -> LlmFigures:
    """Over all the time that the load ran."""
    seconds = sum(end - start for start, end in found.windows)
    outputs = sum(step.output_tokens for step in found.steps)
    tokens = outputs + sum(step.prompt_tokens for step in found.steps)
    late = sum(late_s > 0 for late_s in found.past_release_s)
    each = (tokens / seconds, outputs / seconds) if seconds > 0 else (0.0, 0.0)
    return LlmFigures(*each, tokens, outputs, seconds, len(found.past_release_s), late)


def same_work_tok_s(found: LlmFound, tokens: int) -> float:
    """The rate over the first `tokens` tokens; over all where there were fewer."""
    before_s, done = 0.0, 0
    steps = iter(found.steps)
    step = next(steps, None)
    for start, end in found.windows:
        while step is not None and step.start_s < end:
            done += step.prompt_tokens + step.output_tokens
            if done >= tokens:
                return done / (before_s + min(step.end_s, end) - start)
            step = next(steps, None)
        before_s += end - start
    return done / before_s if before_s > 0 else 0.0
