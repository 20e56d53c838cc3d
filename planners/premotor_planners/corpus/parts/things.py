"""References to things that depend on the rest of the clause: a second one, several, what to look at, a weapon."""

from __future__ import annotations

from premotor_planners.corpus.lexicon import WEAPONS
from premotor_planners.corpus.parts.filled import Filled
from premotor_planners.corpus.parts.situation import Situation
from premotor_planners.corpus.references.reference import Reference, Unsuited
from premotor_planners.corpus.templates import Template

_INDEFINITE = ("a", "an", "any", "one")


def other_thing(situation: Situation, filled: Filled) -> Reference:
    """The one that is not wanted ("not the mug"), where another is."""
    return _definite(situation, frozenset({filled.name("obj")} | situation.moved))


def target(situation: Situation, fault: str) -> Reference:
    """A thing or place to look at."""
    refer, rng = situation.refer, situation.rng
    if fault == "place":
        return refer.spot("unknown")
    if fault == "ambiguous":
        return refer.spot("ambiguous") if rng.random() < 0.4 else refer.thing("ambiguous")
    if fault:
        return refer.thing(fault)
    return refer.spot() if rng.random() < 0.5 else _definite(situation, frozenset(situation.moved))


def weapon(situation: Situation) -> Reference:
    """A weapon of the world, or any when it has none; without a name, for it is never handled."""
    there = [t.name for t in situation.world.things.values() if t.noun.noun in WEAPONS]
    word = situation.rng.choice(there or sorted(WEAPONS))
    return Reference(situation.rng.choice((f"the {word}", f"a {word}", f"my {word}")))


def put_plural(situation: Situation, template: Template, filled: Filled) -> None:
    """All things of one kind; fills `plural` and `family`. Raises Unsuited when the plural would be doubtful."""
    world = situation.world
    families = [f for f in world.families if not {t.name for t in f} & situation.moved]
    if not families or world.catalogue.holding:
        raise Unsuited
    family = situation.rng.choice(families)
    noun = family[0].noun
    kin = [t for t in world.things.values() if noun.noun in world.phrases[t.name]]
    if len(kin) != len(family) or noun.noun in WEAPONS or (len(family) > 2 and "both" in template.text):
        raise Unsuited
    filled.words["plural"] = noun.plural
    filled.family = tuple(t.name for t in family)


def _definite(situation: Situation, avoid: frozenset[str]) -> Reference:
    thing = situation.refer.thing(avoid=avoid)
    if thing.text.split()[0] in _INDEFINITE:
        raise Unsuited
    return thing
