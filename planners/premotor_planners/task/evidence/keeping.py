"""What stays in the gripper at the end: only what a clause asks to be picked up or held, and never picked twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from premotor_planners.task.answers.answer import CompactStep
from premotor_planners.task.evidence.founding import Founding
from premotor_planners.task.evidence.references import References
from premotor_planners.task.reading.naming import SPEAKER

_TARGET_KINDS = ("place", "room", "person", "them", "there", "here")


def unfounded_holds(steps: Sequence[CompactStep], references: References, founding: Founding) -> Iterator[str]:
    """Objects that a plan keeps, or picks again, though nothing asks for that."""
    picks = [step.name for step in steps if step.skill == "pick"]
    for name in dict.fromkeys(picks):
        named = {entry.clause for entry in references.naming(name)}
        again = {n for n, items in enumerate(references.items) if any(item.kind == "it" for item in items)}
        if picks.count(name) > len(named | again):
            yield name
    last = max((index for index, step in enumerate(steps) if step.skill in ("pick", "place", "give")), default=-1)
    if (
        last >= 0
        and steps[last].skill == "pick"
        and not _may_keep(steps[last].name, steps[last:], references, founding)
    ):
        yield steps[last].name


def _may_keep(name: str, rest: Sequence[CompactStep], references: References, founding: Founding) -> bool:
    """A clause about the object with a verb of holding and no destination; what is brought needs the way, too."""
    comes = CompactStep("go", SPEAKER) in rest
    for number, clause in references.asking_clauses():
        about = any(name in entry.names for entry in references.entries if entry.clause == number)
        back = any(item.kind == "it" for item in references.items[number])
        holding = any(verb.classes & {"pick", "keep"} for verb in clause.verbs)
        if (about or back) and holding and not _has_target(number, references):
            return comes or not founding.brings()
    return comes and any(item.role == "with" for items in references.items for item in items)


def _has_target(number: int, references: References) -> bool:
    items = [item for item in references.items[number] if item.is_target and item.kind in _TARGET_KINDS]
    return any(item.role not in ("at", "beside", "via") for item in items)
