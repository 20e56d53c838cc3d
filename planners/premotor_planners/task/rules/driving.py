"""Clauses about going somewhere, and fragments that go on with what was said before."""

from __future__ import annotations

from premotor_planners.task.lexicon.syntax import is_in
from premotor_planners.task.outcome import Problem, unclear, unsupported
from premotor_planners.task.reading.clauses import Clause, Verb
from premotor_planners.task.reading.roles import Item
from premotor_planners.task.rules.intents import Intent
from premotor_planners.task.rules.parts import Parts
from premotor_planners.task.rules.resolve import StuckError
from premotor_planners.task.rules.scene import HOW_LONG, TOWARDS_PEOPLE, Scene


def drive(clause: Clause, head: Verb | None, parts: Parts, seconds: float, scene: Scene) -> list[Intent]:
    """The stops in order, routes first. Raises StuckError for furniture or people to be carried, a wait without end."""
    classes = head.classes if head else frozenset()
    if clause.kind == "fragment" and scene.last is not None:
        return _go_on(parts, scene, scene.last)
    itself = any(scene.marked.word(i) == "yourself" for i in clause.indexes)
    if classes and not classes & {"go", "wait", "dock", "inspect"} and not itself:
        if scene.talk.holding and classes & {"move", "give"} and parts.targets:
            return [_hand_on(parts.targets[0], scene)]
        raise StuckError(_not_carried(clause, head, parts, scene))
    if not seconds and head and is_in(head.base, "waiting") and "wait" in classes:
        raise StuckError(unclear(HOW_LONG))
    stops = [*parts.routes, *parts.targets]
    if head is None and clause.kind == "task" and any(item.mention is None and not item.role for item in stops):
        raise StuckError(unclear())
    if seconds and scene.last is not None and [item.kind for item in stops] == ["there"]:
        return []
    if _has_vague(clause, scene) or any(head and not item.role and not _reaches(head, item) for item in stops):
        raise StuckError(_not_carried(clause, head, parts, scene))
    return [Intent("go", target=scene.goal(item)) for item in stops]


def _has_vague(clause: Clause, scene: Scene) -> bool:
    return any(is_in(scene.marked.word(i), "vague_things") for i in clause.indexes)


def _not_carried(clause: Clause, head: Verb | None, parts: Parts, scene: Scene) -> Problem:
    """Furniture and people are not carried; `everything` names nothing."""
    direct = next((i for i in parts.targets if i.role == "" and i.mention is not None), None)
    if head and direct and not _has_vague(clause, scene):
        return unsupported(f"{head.phrase} {scene.text.slice(direct.start, direct.end)}")
    return unclear("What should I take? Name the things.")


def _reaches(head: Verb, item: Item) -> bool:
    """`visit Ben`, `go kitchen`; but neither `move the kitchen table` nor `run Ben`."""
    if item.kind in ("here", "there") or is_in(head.base, "visiting"):
        return True
    if item.kind in ("person", "them"):
        return is_in(head.phrase, "checking_on")
    return is_in(head.base, "arriving") or " " in head.phrase


def _hand_on(target: Item, scene: Scene) -> Intent:
    """`put on the sofa`, with something in the gripper."""
    held = (scene.talk.holding or "",)
    return Intent("give" if target.kind in TOWARDS_PEOPLE else "transport", held, scene.goal(target))


def _go_on(parts: Parts, scene: Scene, last: Intent) -> list[Intent]:
    """A fragment goes on with the verb before it (`then the study`), or places the thing just named alone."""
    if last.kind == "topic" and len(parts.targets) == 1:
        last.incomplete, last.soft, last.kind = "", True, "transport"
        item = parts.targets[0]
        return [Intent("give" if item.kind in TOWARDS_PEOPLE else "transport", last.objects, scene.goal(item))]
    if last.kind == "inspect":
        return [Intent("inspect", target=scene.place(i)) for i in parts.targets if i.kind in ("place", "room")]
    if last.kind not in ("go", "wait", "dock", "say") or any(item.role == "at" for item in parts.targets):
        raise StuckError(unclear("I do not see what belongs together; say it in one sentence."))
    return [Intent("go", target=scene.goal(item)) for item in [*parts.routes, *parts.targets]]
