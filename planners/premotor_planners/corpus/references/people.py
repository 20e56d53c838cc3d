"""References to people other than the speaker, by name."""

from __future__ import annotations

import random

from premotor_planners.corpus.references.reference import Reference, Unsuited
from premotor_planners.corpus.worlds import USER, SampledWorld
from premotor_planners.task.answers.answer import RefusalAnswer


def known_person(world: SampledWorld, rng: random.Random) -> Reference:
    """Somebody who is there. Raises Unsuited where nobody is."""
    people = _others(world)
    if not people:
        raise Unsuited
    name = rng.choice(people)
    return Reference(name, name)


def unknown_person(world: SampledWorld, rng: random.Random) -> Reference:
    """Somebody who is not there, and shares no word of their name with anybody who is; else raises Unsuited."""
    text = rng.choice(rng.choice((world.lexicon.people, world.lexicon.unknown_people)))
    if any(word in person.split() for person in _others(world) for word in text.split()):
        raise Unsuited
    bare = text.removeprefix("the ").removeprefix("my ")
    return Reference(text, problem=RefusalAnswer("unknown", bare), bare=bare)


def _others(world: SampledWorld) -> list[str]:
    return [p for p in world.catalogue.people if p != USER]
