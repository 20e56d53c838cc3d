"""What a phrase may mean in a world, without chance: the right answers rest on this."""

from __future__ import annotations

from premotor_planners.corpus.lexicon import WEAPONS
from premotor_planners.corpus.worlds import SampledWorld, Thing


def things_at(world: SampledWorld, at: str) -> list[Thing]:
    """What can be asked for at this place or room ("" for anywhere): nothing held, no weapon."""
    free = [t for t in world.things.values() if t.name != world.catalogue.holding and t.noun.noun not in WEAPONS]
    return [t for t in free if not at or at in whereabouts(world, t)]


def things_meant(world: SampledWorld, phrase: str, at: str = "") -> list[Thing]:
    """Everything at `at` that the phrase may mean, in catalogue order; an exact name means only itself."""
    if phrase in world.things and (not at or at in whereabouts(world, world.things[phrase])):
        return [world.things[phrase]]
    found = [t for t in world.things.values() if phrase in world.phrases[t.name]]
    return [t for t in found if not at or at in whereabouts(world, t)]


def whereabouts(world: SampledWorld, thing: Thing) -> tuple[str, str]:
    """The place of a thing, and the room of that place."""
    return thing.place, world.room_of(thing.place)


def places_meant(world: SampledWorld, phrase: str) -> list[str]:
    """The places, then the rooms, that the phrase may mean; an exact name means only itself."""
    catalogue = world.catalogue
    if phrase in catalogue.rooms or phrase in catalogue.places:
        return [phrase]
    return [n for n in (*catalogue.places, *catalogue.rooms) if phrase in world.phrases[n]]
