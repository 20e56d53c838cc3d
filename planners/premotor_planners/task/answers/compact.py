"""The compact plan language, read and written: `pick red mug; place study desk`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from premotor_planners.errors import AnswerError
from premotor_planners.task.answers.answer import (
    REFUSAL_KINDS,
    Answer,
    AskAnswer,
    CompactStep,
    RefusalAnswer,
    StepsAnswer,
)

NAMED_SKILLS = ("go", "pick", "place", "give", "inspect")
UNIT_SECONDS = {"second": 1, "minute": 60, "hour": 3600}
_WAIT = re.compile(r"wait (\d+) (second|minute|hour)(s?)")
_SAY = re.compile(r'say "([^"\n]*)"')
_UNKNOWN = re.compile(r'unknown "([^"\n]*)"')


def parse_answer(text: str) -> Answer:
    """Read one answer. Raises AnswerError (a sentence a model can use) for text outside the language.

    Names are not looked up here: a wrong name is the validator's to report.
    """
    body = text.strip()
    if not body or "\n" in body:
        raise AnswerError("the answer must be exactly one line of steps, a refusal or a question")
    if body.startswith("refuse "):
        return _parse_refusal(body.removeprefix("refuse "))
    if body.startswith("ask "):
        return AskAnswer(tuple(name.strip() for name in body.removeprefix("ask ").split(", ")))
    return StepsAnswer(tuple(_parse_step(part) for part in _split_steps(body)))


def render_answer(answer: Answer) -> str:
    """The text of an answer, without the leading space and the final newline of the prompt format."""
    if isinstance(answer, RefusalAnswer):
        return f'refuse unknown "{answer.what}"' if answer.kind == "unknown" else f"refuse {answer.kind}"
    if isinstance(answer, AskAnswer):
        return "ask " + ", ".join(answer.candidates)
    return render_steps(answer.steps)


def render_steps(steps: Sequence[CompactStep]) -> str:
    """Steps joined by `; `."""
    return "; ".join(render_step(step) for step in steps)


def render_step(step: CompactStep) -> str:
    """One step in the language, e.g. `wait 2 minutes`."""
    if step.skill == "say":
        return f'say "{step.name}"'
    if step.skill == "wait":
        return f"wait {render_duration(step.duration_s)}"
    return f"{step.skill} {step.name}".strip()


def render_duration(duration_s: float) -> str:
    """Whole units, the largest that divides the duration: `90 seconds`, `2 minutes`, `1 hour`."""
    seconds = round(duration_s)
    unit = next((u for u in ("hour", "minute") if seconds and seconds % UNIT_SECONDS[u] == 0), "second")
    count = seconds // UNIT_SECONDS[unit]
    return f"{count} {unit}{'' if count == 1 else 's'}"


def _parse_refusal(rest: str) -> RefusalAnswer:
    unknown = _UNKNOWN.fullmatch(rest)
    if unknown:
        return RefusalAnswer("unknown", unknown[1])
    for kind in REFUSAL_KINDS:
        if rest == kind and kind != "unknown":
            return RefusalAnswer(kind)
    raise AnswerError(f'`refuse {rest}` is not a refusal; write refuse unsafe, unsupported, unclear or unknown "name"')


def _split_steps(body: str) -> list[str]:
    """Split at `; `, but not inside what is said (names hold no `; `, but may hold a quote)."""
    parts: list[str] = []
    while body:
        said = _SAY.match(body)
        end = said.end() if said else body.find("; ")
        end = len(body) if end < 0 else end
        parts.append(body[:end].strip())
        body = body[end:].removeprefix("; ")
    return parts


def _parse_step(part: str) -> CompactStep:
    skill, _, name = part.partition(" ")
    if part == "dock":
        return CompactStep("dock")
    if skill in NAMED_SKILLS and name:
        return CompactStep(skill, name)
    said = _SAY.fullmatch(part)
    if said:
        return CompactStep("say", said[1])
    waited = _WAIT.fullmatch(part)
    if waited:
        return CompactStep("wait", "", float(int(waited[1]) * UNIT_SECONDS[waited[2]]))
    raise AnswerError(f"`{part}` is not a step; use go, pick, place, give, say, wait, inspect or dock")
