"""Clauses about things: which object goes where or to whom, or stays in the gripper."""

from __future__ import annotations

from collections.abc import Iterator

from premotor_planners.task.lexicon.syntax import is_in
from premotor_planners.task.outcome import unclear, unsupported
from premotor_planners.task.reading.clauses import Clause, Verb
from premotor_planners.task.reading.naming import SPEAKER
from premotor_planners.task.reading.roles import Item
from premotor_planners.task.rules.intents import Intent
from premotor_planners.task.rules.parts import Parts
from premotor_planners.task.rules.resolve import StuckError
from premotor_planners.task.rules.scene import NO_PLACE, TOWARDS_PEOPLE, Scene

_CARRYING = frozenset({"move", "give", "fetch", "pick", "keep", "go", "wait"})
Pair = tuple[list[Item], "Item | None"]


def carry(clause: Clause, head: Verb | None, parts: Parts, scene: Scene) -> list[Intent]:
    """One intent for each group of objects and its target; each is remembered as it is made."""
    where = scene.where(parts.sources)
    found: list[Intent] = []
    for objects, target in _pairs(parts):
        names = tuple(name for item in objects for name in scene.objects(item, where))
        scene.talk.objects = names
        made = _to(clause, head, names, target, scene) if target else _nowhere(clause, head, names, scene)
        found.append(made)
        scene.remember(made)
    return found


def _pairs(parts: Parts) -> Iterator[Pair]:
    """Objects with their targets in the order of the words; objects without one share the next or the last target."""
    objects: list[Item] = []
    target: Item | None = None
    shared: Item | None = None
    for item in sorted([*parts.objects, *parts.targets], key=lambda i: i.index):
        thing = item in parts.objects
        if not thing and target is not None and _same_person(target, item):
            continue
        if objects and target is not None and (not thing or objects[-1].index < target.index):
            yield objects, target
            objects, target, shared = [], None, target
        if not thing and target is not None:
            raise StuckError(unclear("Where should it go? Name one destination for each thing."))
        if thing:
            objects.append(item)
        else:
            target = item
    if target is not None and not objects:
        raise StuckError(unclear("What should go there?"))
    if objects:
        yield objects, target or shared


def _same_person(target: Item, item: Item) -> bool:
    """`here to me`: two words for the speaker."""
    return "here" in (item.kind, target.kind) and _is_speaker(item) and _is_speaker(target)


def _is_speaker(item: Item) -> bool:
    return SPEAKER in item.mention.candidates if item.mention else item.kind in ("person", "here")


def _to(clause: Clause, head: Verb | None, names: tuple[str, ...], target: Item, scene: Scene) -> Intent:
    soft = scene.is_soft(clause)
    if target.kind in TOWARDS_PEOPLE:
        return _to_person(clause, head, names, target, scene)
    if head and head.classes and not head.classes & _CARRYING:
        raise StuckError(unsupported(head.phrase))
    return Intent("transport", names, scene.place(target), soft=soft)


def _to_person(clause: Clause, head: Verb | None, names: tuple[str, ...], target: Item, scene: Scene) -> Intent:
    person = scene.person(target)
    near = head is not None and (
        (target.role == "beside" and "move" in head.classes) or (target.role == "at" and is_in(head.base, "putting"))
    )
    if near and scene.marked.word(target.start - 1) in ("on", "in", "onto", "into", "over", "under"):
        raise StuckError(unclear(NO_PLACE))
    if near:
        return Intent("transport", names, scene.catalogue.people[person], soft=scene.is_soft(clause))
    if head and head.base in ("come", "go", "walk", "drive", "head") and "go" in head.classes:
        return Intent("hold", names, person, soft=scene.is_soft(clause))
    wanted = target.role == "" and not clause.requested and all(v.index > target.index for v in clause.verbs)
    soft = scene.is_soft(clause) or (wanted and target.mention is not None)
    return Intent("give", names, person, soft=soft)


def _nowhere(clause: Clause, head: Verb | None, names: tuple[str, ...], scene: Scene) -> Intent:
    """No destination and no receiver: held, brought to the speaker, a topic for what follows, or incomplete."""
    classes = head.classes if head else frozenset()
    if clause.kind == "fragment":
        if scene.last and scene.last.kind in ("transport", "give") and clause.connective == "then":
            return Intent(scene.last.kind, names, scene.last.target)
        if scene.says_please(clause):
            return Intent("give", names, SPEAKER, soft=True)
        return Intent("topic", names, incomplete="What should I do with it?")
    if scene.is_wish(clause) and not classes - {"inspect", "go", "give", "fetch", "pick", "move"}:
        return Intent("give", names, SPEAKER, soft=True)
    if head and (is_in(head.phrase, "holding") or "keep" in classes):
        return Intent("hold", names)
    if head and _puts_down(head, scene):
        return Intent("putdown", names, incomplete=NO_PLACE)
    if "fetch" in classes or (head and head.base in ("bring", "deliver")):
        return Intent("give", names, SPEAKER, implied=True)
    if "pick" in classes:
        return Intent("hold", names)
    if scene.is_soft(clause) or "give" not in classes:
        return Intent("transport", names, soft=True, incomplete=NO_PLACE)
    return Intent("give", names, incomplete="Who should get it?")


def _puts_down(head: Verb, scene: Scene) -> bool:
    down = head.base == "put" and "down" in head.phrase
    return down or (head.phrase in ("drop", "set down") and scene.talk.holding is not None)
