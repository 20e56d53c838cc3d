"""Where a thing is said to be: "the mug from the shelf". The place may settle which mug, or be the wrong one."""

from __future__ import annotations

from premotor_planners.corpus.parts.faults import Fault
from premotor_planners.corpus.parts.filled import Filled
from premotor_planners.corpus.parts.situation import Situation
from premotor_planners.corpus.references.reference import Unsuited
from premotor_planners.task.answers.answer import RefusalAnswer


def put_object_at_source(situation: Situation, fault: Fault, filled: Filled) -> None:
    """Fill `obj` and `src` together. Raises Unsuited when nothing is left to be taken."""
    refer, at, moved = situation.refer, _source(situation), frozenset(situation.moved)
    if fault.of("src") == "wrong":
        _put_wrong_source(situation, filled)
    elif fault.of("src") == "unknown":
        filled.put("obj", refer.thing(avoid=moved))
        filled.put("src", refer.spot("unknown"))
    else:
        kind = fault.of("obj")
        filled.put("obj", refer.thing(kind, moved, "" if kind in ("unknown", "near") else at))
        filled.put("src", refer.place(at))


def _source(situation: Situation) -> str:
    """The place of something that can be taken, or its room."""
    world, rng = situation.world, situation.rng
    taken = situation.moved | {world.catalogue.holding or ""}
    free = [t for t in world.things.values() if t.name not in taken]
    if not free:
        raise Unsuited
    place = rng.choice(free).place
    return place if rng.random() < 0.65 or place == world.dock else world.room_of(place)


def _put_wrong_source(situation: Situation, filled: Filled) -> None:
    """A place where nothing is that the object may mean: there is no such object there."""
    world, refer = situation.world, situation.refer
    obj = refer.thing(avoid=frozenset(situation.moved))
    if not obj.bare or obj.problem:
        raise Unsuited
    homes = [t.place for t in world.things.values() if obj.bare in world.phrases[t.name] or obj.bare == t.name]
    avoid = frozenset(homes + [world.room_of(home) for home in homes])
    filled.put("obj", obj)
    filled.put("src", refer.spot(avoid=avoid, rooms=0.4))
    filled.fail(RefusalAnswer("unknown", obj.bare), (obj.bare,))
