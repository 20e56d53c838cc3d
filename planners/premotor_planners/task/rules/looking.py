"""Clauses about looking: `check the sofa`, `see what is on the table`, `check on Anna`."""

from __future__ import annotations

from premotor_planners.task.lexicon.syntax import is_in
from premotor_planners.task.outcome import unclear
from premotor_planners.task.reading.clauses import Verb
from premotor_planners.task.rules.intents import Intent
from premotor_planners.task.rules.parts import Parts
from premotor_planners.task.rules.resolve import StuckError
from premotor_planners.task.rules.scene import Scene


def is_looking(head: Verb | None, parts: Parts) -> bool:
    """Whether the verb means to look here (many verbs of looking also carry or drive)."""
    if head is None or "inspect" not in head.classes:
        return False
    if head.base == "see":
        return any(item.kind in ("place", "room") for item in [*parts.targets, *parts.sources])
    carries = head.classes & {"move", "give"}
    if is_in(head.base, "only_looking") or (is_in(head.base, "looking") and not carries):
        return True
    return not carries and "go" not in head.classes


def look(parts: Parts, scene: Scene) -> list[Intent]:
    """What to inspect; people are visited. Raises StuckError when nothing is named."""
    where = scene.where(parts.sources)
    places = [i for i in (*parts.targets, *parts.routes) if i.kind in ("place", "room", "there")]
    objects = [item for item in parts.objects if item.role not in ("for", "with")]
    if objects:
        where += [scene.place(item) for item in places if item.role == "at"]
        places = [item for item in places if item.role != "at"]
    found = [Intent("inspect", target=name) for item in objects for name in scene.objects(item, where)]
    found += [Intent("inspect", target=scene.place(item)) for item in places]
    people = [i for i in parts.targets if i.kind in ("person", "them") and i.role != "for"]
    found += [Intent("go", target=scene.person(item)) for item in people]
    if not found:
        spots = [item for item in parts.sources if item.kind in ("place", "room")]
        found = [Intent("inspect", target=scene.place(item)) for item in spots]
    if not found:
        raise StuckError(unclear("What should I look at?"))
    return found
