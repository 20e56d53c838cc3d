"""The catalogue of a world file: one description for language, grid and simulation."""

from __future__ import annotations

from premotor_planners.task.catalogue import COMPACT_SKILLS, Catalogue
from premotor_planners.world.model import World


def catalogue_from_world(
    world: World, holding: str | None = None, skills: tuple[str, ...] = COMPACT_SKILLS
) -> Catalogue:
    """Names in the order of the file; `skills` are the compact names of what the robot can do.

    Where the world has no dock, the robot cannot `dock` either.
    """
    docks = frozenset(place.name for place in world.places if place.kind == "dock")
    return Catalogue(
        rooms=tuple(room.name for room in world.rooms),
        places={place.name: place.room for place in world.places},
        objects={item.name: item.place for item in world.objects},
        people={person.name: person.place for person in world.people},
        skills=skills if docks else tuple(skill for skill in skills if skill != "dock"),
        holding=holding,
        docks=docks,
        hazards=frozenset(item.name for item in world.objects if item.hazard),
        synonyms={
            **{place.name: place.synonyms for place in world.places if place.synonyms},
            **{item.name: item.synonyms for item in world.objects if item.synonyms},
        },
    )
