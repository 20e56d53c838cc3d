"""Which object goes where: an object and its destination must be asked for together."""

from __future__ import annotations

from premotor_planners.task.answers.answer import CompactStep
from premotor_planners.task.evidence.founding import Founding
from premotor_planners.task.evidence.references import Entry, References


def go_together(name: str, step: CompactStep, references: References, founding: Founding) -> bool:
    """Whether the object and the place or person of one transfer belong together.

    They stand in one clause, or the clause of the target refers back (`it`, no object at all), or the object's clause
    is a fragment or background.
    """
    objects = {entry.clause for entry in references.naming(name)}
    targets = {entry.clause for entry in founding.entries(step)}
    if not objects or not targets:
        return True
    if objects & targets:
        return any(_in_turn(name, step, number, references) for number in objects & targets)
    back = any(_refers_back(number, references) for number in targets)
    return back or any(references.reading.clauses[number].kind != "task" for number in objects)


def _refers_back(number: int, references: References) -> bool:
    kinds = [item.kind for item in references.items[number]]
    return "it" in kinds or "object" not in kinds


def _in_turn(name: str, step: CompactStep, number: int, references: References) -> bool:
    """In a clause of as many objects as targets, the n-th object goes with the n-th target."""
    here = [e for e in references.entries if e.clause == number and not e.item.negated]
    objects = [e for e in here if e.item.kind == "object"]
    targets = [e for e in here if e.item.kind in ("place", "room", "person") and e.item.is_target]
    if len(objects) < 2 or len(targets) < 2:
        return True
    spots = {step.name, references.catalogue.places.get(step.name, "")}
    return len(objects) == len(targets) and bool(_where(objects, {name}) & _where(targets, spots))


def _where(entries: list[Entry], names: set[str]) -> set[int]:
    return {index for index, entry in enumerate(entries) if set(entry.names) & names}
