"""The items of a clause by what they do in it: what is acted on, where it goes, where it is now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from premotor_planners.task.lexicon.syntax import is_in
from premotor_planners.task.reading.clauses import Clause, Verb
from premotor_planners.task.reading.roles import Item, gap
from premotor_planners.task.rules.scene import TOWARDS_PEOPLE, Scene


@dataclass
class Parts:
    """Each list in the order of the words; excluded items are in none."""

    objects: list[Item] = field(default_factory=list)
    targets: list[Item] = field(default_factory=list)
    sources: list[Item] = field(default_factory=list)
    routes: list[Item] = field(default_factory=list)


def head_of(clause: Clause, scene: Scene) -> Verb | None:
    """The first verb, or the second after a bare `go`, `come`, `run`, `help`."""
    verbs = clause.verbs
    if len(verbs) > 1 and is_in(verbs[0].base, "setting_out") and verbs[1].index <= verbs[0].index + 3:
        between = range(verbs[0].index + 1, verbs[1].index)
        if not any(scene.marked.mention_at(i) for i in between):
            return verbs[1]
    return verbs[0] if verbs else None


def parts_of(items: Sequence[Item], head: Verb | None, scene: Scene) -> Parts:
    """Sort the items. Raises StuckError where a stated place of a person or place is not true."""
    parts = Parts()
    for number, item in enumerate(items):
        if not item.negated:
            _sort(number, items, head, parts, scene)
    return parts


def _sort(number: int, items: Sequence[Item], head: Verb | None, parts: Parts, scene: Scene) -> None:
    item = items[number]
    if item.kind in ("object", "it"):
        beside = item.kind == "object" and item.role == "beside" and bool(parts.objects)
        (parts.targets if beside else parts.objects).append(item)
    elif describes_target(number, items, scene):
        scene.check_inside(items[number - 1], item)
    elif not item.is_target or (item.role == "at" and _tells_where(number, items, head, scene)):
        parts.sources.append(item)
    elif item.role == "via":
        parts.routes.append(item)
    elif not (item.kind == "person" and item.role == "for" and _has_destination(items)):
        parts.targets.append(item)


def describes_target(number: int, items: Sequence[Item], scene: Scene) -> bool:
    """`Anna in the study`, `the table in the living room`: a room or place right after a person or a place."""
    item, before = items[number], items[number - 1] if number else None
    if (
        before is None
        or before.negated
        or before.kind not in ("person", "place", "them")
        or gap(before, item, scene.marked)
    ):
        return False
    room = item.kind == "room" and item.role in ("at", "of")
    return room or (before.kind == "person" and item.kind == "place" and item.role == "at")


def _has_destination(items: Sequence[Item]) -> bool:
    """Then `for me` says for whom, not to whom."""
    spots = ("place", "room", "here", "there")
    return any(item.role in ("to", "at") and item.kind in spots and not item.negated for item in items)


def _tells_where(number: int, items: Sequence[Item], head: Verb | None, scene: Scene) -> bool:
    """`the mug on the desk` in a clause that has another target, or whose verb needs none."""
    before = items[number - 1] if number else None
    if before is None or before.mention is None or before.kind != "object" or before.negated:
        return False
    if gap(before, items[number], scene.marked):
        return False
    others = [item for n, item in enumerate(items) if n != number and not describes_target(n, items, scene)]
    if any(_receives(item) for item in others):
        return True
    if head is None or ("move" in head.classes and not is_in(head.base, "taking")):
        return False
    return bool(head.classes & {"fetch", "pick", "keep", "give", "inspect"})


def _receives(item: Item) -> bool:
    if item.kind in ("object", "it") or item.negated or item.attached or item.role == "source":
        return False
    return item.role in ("to", "at", "beside") or item.kind in TOWARDS_PEOPLE
