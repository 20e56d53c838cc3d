"""Draws what stands in the slots of a template."""

from __future__ import annotations

from premotor_planners.corpus.durations import sample_duration
from premotor_planners.corpus.parts.faults import NO_FAULT, Fault
from premotor_planners.corpus.parts.filled import Filled
from premotor_planners.corpus.parts.situation import Situation
from premotor_planners.corpus.parts.sources import put_object_at_source
from premotor_planners.corpus.parts.things import other_thing, put_plural, target, weapon
from premotor_planners.corpus.templates import Template


def fill(template: Template, situation: Situation, fault: Fault = NO_FAULT, armed: bool = False) -> Filled:
    """Draw everything; objects before destinations, so that nothing is taken to where it is. May raise Unsuited.

    `armed`: the object is a weapon (the template has no `src` then).
    """
    slots, refer, filled = template.slots, situation.refer, Filled()
    if "src" in slots:
        put_object_at_source(situation, fault, filled)
    elif "obj" in slots:
        moved = frozenset(situation.moved)
        filled.put("obj", weapon(situation) if armed else refer.thing(fault.of("obj"), moved))
    if "other" in slots:
        filled.put("other", other_thing(situation, filled))
    if "plural" in slots:
        put_plural(situation, template, filled)
    if "dst" in slots:
        filled.put("dst", refer.spot(fault.of("dst"), _occupied(situation, filled), 0.3))
    if "target" in slots:
        filled.put("target", target(situation, fault.of("target")))
    if "person" in slots:
        filled.put("person", refer.person(fault.of("person")))
    _put_words(slots, situation, filled)
    return filled


def _occupied(situation: Situation, filled: Filled) -> frozenset[str]:
    """Where the objects are already: their places and rooms, and where they are said to be."""
    world = situation.world
    places = {world.things[n].place for n in (filled.name("obj"), *filled.family) if n in world.things}
    places |= {filled.name("src")} - {""}
    return frozenset(places | {world.room_of(p) for p in places})


def _put_words(slots: frozenset[str], situation: Situation, filled: Filled) -> None:
    """Fill the slots that refer to nothing in the world: what to say, how long to wait."""
    lexicon = situation.world.lexicon
    if "text" in slots:
        _put_message("text", lexicon.messages, situation, filled)
    if "order" in slots:
        _put_message("order", lexicon.orders, situation, filled)
    if slots & {"duration", "n", "unit"}:
        filled.words["duration"], filled.seconds = sample_duration(situation.rng)
        filled.words["n"], _, filled.words["unit"] = filled.words["duration"].rpartition(" ")


def _put_message(slot: str, pool: tuple[str, ...], situation: Situation, filled: Filled) -> None:
    message = situation.rng.choice(pool)
    filled.message = message
    filled.literals += (message,)
    filled.words[slot] = f'"{message}"' if situation.rng.random() < 0.08 else message
