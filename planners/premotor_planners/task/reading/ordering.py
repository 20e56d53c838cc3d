"""The order of doing: connectives turn the order of the words around where they say so."""

from __future__ import annotations

from collections.abc import Sequence

from premotor_planners.task.reading.clauses import Clause

STEP = 10.0


def ranks(clauses: Sequence[Clause]) -> list[float]:
    """One rank per clause; doing follows the ranks. `before A, B` is B then A; `B after A` is A then B.

    A clause joined by `and` to a subordinate one goes with it.
    """
    found = [index * STEP for index in range(len(clauses))]
    for index, clause in enumerate(clauses):
        if clause.kind != "task" or (not clause.indexes and not clause.messages):
            continue
        after, before = _task_after(clauses, index), _task_before(clauses, index)
        if clause.connective == "before" and before is None and after is not None:
            found[index] = found[after] + STEP / 2
        elif clause.connective in ("after", "once") and before is not None:
            found[index] = found[before] - STEP / 2
        elif clause.connective in ("earlier", "first") and before is not None and index > 0:
            found[index] = min(found[i] for i in (before, *_same_sentence(clauses, index))) - STEP / 2
    return found


def _same_sentence(clauses: Sequence[Clause], index: int) -> list[int]:
    return [i for i in range(index) if clauses[i].kind == "task"]


def _task_before(clauses: Sequence[Clause], index: int) -> int | None:
    """The task clause just before, in the same sentence (for `earlier`, in any)."""
    here = clauses[index]
    for i in range(index - 1, -1, -1):
        same = clauses[i].sentence == here.sentence or here.connective in ("earlier",)
        if clauses[i].kind in ("task", "fragment") and same:
            return i
    return None


def _task_after(clauses: Sequence[Clause], index: int) -> int | None:
    return next((i for i in range(index + 1, len(clauses)) if clauses[i].kind in ("task", "fragment")), None)
