"""What the instruction forbids (`do not …`), as steps that no plan may hold."""

from __future__ import annotations

from collections.abc import Sequence

from premotor_planners.task.reading.reading import Reading
from premotor_planners.task.reading.roles import clause_items


def prohibitions(reading: Reading) -> frozenset[tuple[str, str]]:
    """(compact skill, name) pairs that a `do not …` clause rules out."""
    found: set[tuple[str, str]] = set()
    for clause in reading.clauses:
        if clause.kind != "negative":
            continue
        classes = {name for verb in clause.verbs for name in verb.classes}
        items = clause_items(clause, reading.marked)
        for item in items:
            names = item.mention.candidates if item.mention else ("user",) if item.word in ("me", "here") else ()
            found |= _ruled_out(item.kind, names, classes, any(i.kind in ("place", "room") for i in items))
    return frozenset(found)


def _ruled_out(kind: str, names: Sequence[str], classes: set[str], placed: bool) -> set[tuple[str, str]]:
    if kind == "object" and not placed:
        return {("pick", name) for name in names} | {("inspect", name) for name in names if "inspect" in classes}
    if kind in ("place", "room"):
        skills = ("place",) if "move" in classes and "go" not in classes else ("place", "go")
        return {(skill, name) for skill in skills for name in names}
    return {
        (skill, name)
        for name in names
        for skill in (("give", "go") if "go" in classes and "give" not in classes else ("give",))
    }
