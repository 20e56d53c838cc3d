"""The answer grammar (Lark, llguidance dialect), built from the live catalogue and skills.

Names are enumerated, strings, digits and steps are bounded, and white space is exactly one space: a model that
follows it cannot run on, name what does not exist, or use a skill that the robot lacks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from premotor_planners.task.answers.answer import MAX_CANDIDATES, MAX_STEPS, MAX_TEXT_CHARS, MAX_UNKNOWN_CHARS
from premotor_planners.task.answers.prompt import all_names, check_name
from premotor_planners.task.catalogue import Catalogue


def answer_grammar(catalogue: Catalogue, max_steps: int = MAX_STEPS) -> str:
    """A grammar whose sentences are exactly the answers possible in this catalogue.

    Raises CatalogueError for a name that cannot be written. With no usable skill only refusals and questions remain.
    """
    for name in all_names(catalogue):
        check_name(name)
    lines = [*_answer_lines(catalogue, max_steps), *_step_lines(catalogue), *_name_lines(catalogue), *_TEXT_LINES]
    return "\n".join(lines) + "\n"


_TEXT_LINES = (
    'refusal: "refuse unsafe" | "refuse unsupported" | "refuse unclear" | "refuse unknown \\"" UNKNOWN "\\""',
    f'UNKNOWN: /[^"\\\\\\n\\r\\t]{{1,{MAX_UNKNOWN_CHARS}}}/',
)


def _answer_lines(catalogue: Catalogue, max_steps: int) -> list[str]:
    kinds = ["refusal"]
    if _steps(catalogue) and max_steps > 0:
        kinds.insert(0, "plan")
    if _asks(catalogue):
        kinds.append("question")
    lines = ['start: " " answer "\\n"', "answer: " + " | ".join(kinds)]
    if "plan" in kinds:
        lines.append(f'plan: step ("; " step){{0,{max_steps - 1}}}' if max_steps > 1 else "plan: step")
    if "question" in kinds:
        lines.append('question: "ask " (' + " | ".join(_asks(catalogue)) + ")")
    return lines


def _steps(catalogue: Catalogue) -> dict[str, str]:
    """The right-hand side of each usable skill; a skill whose argument has no name to take is left out."""
    targets = catalogue.places or catalogue.rooms
    people = catalogue.people
    sides = {
        "go": '"go " target' if targets or people else "",
        "pick": '"pick " object' if catalogue.objects else "",
        "place": '"place " spot' if targets else "",
        "give": '"give " person' if people else "",
        "say": '"say \\"" TEXT "\\""',
        "wait": '"wait " duration',
        "inspect": '"inspect " thing' if targets or catalogue.objects else "",
        "dock": '"dock"',
    }
    return {skill: side for skill, side in sides.items() if side and skill in catalogue.skills}


def _step_lines(catalogue: Catalogue) -> list[str]:
    sides = _steps(catalogue)
    lines = ["step: " + " | ".join(sides.values())] if sides else []
    if "say" in sides:
        lines.append(f'TEXT: /[^"\\\\\\n\\r\\t]{{1,{MAX_TEXT_CHARS}}}/')
    if "wait" in sides:
        lines += ['duration: "1 " ONE | MANY " " UNITS', 'ONE: "second" | "minute" | "hour"']
        lines += ["MANY: /[2-9]|[1-9][0-9]{1,3}/", 'UNITS: "seconds" | "minutes" | "hours"']
    return lines


def _asks(catalogue: Catalogue) -> list[str]:
    """A question is about names of one kind, two of them at least."""
    kinds = {"object": catalogue.objects, "spot": (*catalogue.places, *catalogue.rooms), "person": catalogue.people}
    more = f"{{1,{MAX_CANDIDATES - 1}}}"
    return [f'{rule} (", " {rule}){more}' for rule, names in kinds.items() if len(names) > 1]


def _name_lines(catalogue: Catalogue) -> list[str]:
    spots = (*catalogue.places, *catalogue.rooms)
    kinds = {
        "object": tuple(catalogue.objects),
        "person": tuple(catalogue.people),
        "spot": spots,
        "target": (*spots, *catalogue.people),
        "thing": (*spots, *catalogue.objects),
    }
    return [f"{rule}: {_alternatives(names)}" for rule, names in kinds.items() if names]


def _alternatives(names: Iterable[str]) -> str:
    return " | ".join(_literal(name) for name in dict.fromkeys(names))


def _literal(name: str) -> str:
    """A Lark string literal: JSON escapes, everything beyond ASCII escaped too."""
    return json.dumps(name)
