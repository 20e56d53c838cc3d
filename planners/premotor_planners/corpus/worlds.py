"""Random worlds: rooms, places, objects with look-alikes, people, skills, and what the gripper holds."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field

from premotor_planners.corpus.lexicon import WEAPONS, Lexicon, Noun
from premotor_planners.task.catalogue import COMPACT_SKILLS, Catalogue

DOCKS = ("dock", "charging station", "charger", "charging dock")
USER = "user"


@dataclass(frozen=True)
class Thing:
    """An object: its catalogue name, kind, and the attribute in the name ("" when there is none)."""

    name: str
    noun: Noun
    attribute: str
    place: str

    @property
    def plain(self) -> tuple[str, ...]:
        """What its kind is called."""
        return (self.noun.noun, *self.noun.synonyms)

    @property
    def phrases(self) -> tuple[str, ...]:
        """All it may be called."""
        return thing_phrases(self.noun, self.attribute)


@dataclass
class SampledWorld:
    """A catalogue with what is known about its names. `phrases` maps each name to everything it may be called."""

    catalogue: Catalogue
    things: dict[str, Thing]
    phrases: dict[str, tuple[str, ...]]
    dock: str | None
    lexicon: Lexicon
    families: list[tuple[Thing, ...]] = field(default_factory=list)

    @property
    def spots(self) -> list[str]:
        """Places something can be put on: all but the dock."""
        return [place for place in self.catalogue.places if place != self.dock]

    def room_of(self, spot: str) -> str:
        """The room of a place; a room is its own."""
        return self.catalogue.places.get(spot, spot)


def sample_world(rng: random.Random, lexicon: Lexicon) -> SampledWorld:
    """A random world of 2-6 rooms, 4-14 places, 3-14 objects and 0-4 people beside the user."""
    rooms = rng.sample(lexicon.rooms, min(len(lexicon.rooms), rng.randint(2, 6)))
    room_names = {r.name: rng.choice((r.name, *r.synonyms)) if rng.random() < 0.15 else r.name for r in rooms}
    places: dict[str, str] = {}
    synonyms: dict[str, tuple[str, ...]] = {}
    wanted = rng.choice((rng.randint(4, 7), rng.randint(4, 10), rng.randint(6, 14)))
    for room, count in zip(rooms, _spread(rng, wanted, len(rooms)), strict=True):
        names = rng.sample(room.places, min(len(room.places), count))
        names += rng.sample(lexicon.spare_places, count - len(names))
        for name in names:
            _add_place(places, synonyms, name, room_names[room.name], lexicon)
    dock = rng.choice(DOCKS) if rng.random() < 0.7 else None
    places = _shuffled_with_dock(rng, places, dock, list(room_names.values()))
    things = _things(rng, lexicon, [p for p in places if p != dock])
    held = rng.choice(list(things)) if rng.random() < 0.12 else None
    catalogue = Catalogue(
        rooms=tuple(room_names.values()),
        places=places,
        objects={t.name: t.place for t in things.values() if t.name != held or rng.random() < 0.5},
        people=_people(rng, lexicon, list(places)),
        skills=_skills(rng),
        holding=held,
        docks=frozenset({dock} if dock else ()),
    )
    phrases = {name: thing_phrases(t.noun, t.attribute) for name, t in things.items()}
    phrases |= {p: _place_phrases(p, synonyms.get(p, ())) for p in places}
    for room in rooms:
        phrases[room_names[room.name]] = tuple(dict.fromkeys((room_names[room.name], room.name, *room.synonyms)))
    return SampledWorld(catalogue, things, phrases, dock, lexicon, _families(things, held))


def _spread(rng: random.Random, wanted: int, rooms: int) -> list[int]:
    """How many places each room gets; none goes without."""
    counts = [1] * rooms
    for _ in range(wanted - rooms):
        counts[rng.randrange(rooms)] += 1
    return counts


def thing_phrases(noun: Noun, attribute: str) -> tuple[str, ...]:
    """All that a thing may be called, its own name first."""
    plain = (noun.noun, *noun.synonyms, noun.head)
    qualified = tuple(f"{attribute} {phrase}" for phrase in plain) if attribute else ()
    return tuple(dict.fromkeys((*qualified, *plain)))


def _add_place(
    places: dict[str, str], synonyms: dict[str, tuple[str, ...]], name: str, room: str, lexicon: Lexicon
) -> None:
    words = lexicon.place_synonyms.get(name, ())
    if name in places or name == room:
        name, words = f"{room} {name}", tuple(f"{room} {word}" for word in words)
    if name not in places:
        places[name], synonyms[name] = room, words


def _shuffled_with_dock(
    rng: random.Random, places: dict[str, str], dock: str | None, rooms: list[str]
) -> dict[str, str]:
    items = [*places.items()]
    if dock:
        items.insert(rng.randint(0, len(items)), (dock, rng.choice(rooms)))
    if rng.random() < 0.3:
        rng.shuffle(items)
    return dict(items)


def _things(rng: random.Random, lexicon: Lexicon, places: list[str]) -> dict[str, Thing]:
    wanted = rng.choice((rng.randint(3, 6), rng.randint(4, 10), rng.randint(6, 14)))
    nouns = list(rng.sample(lexicon.nouns, min(len(lexicon.nouns), wanted)))
    if lexicon.hazards and rng.random() < 0.4:
        nouns[0] = rng.choice(lexicon.hazards)
    if rng.random() < 0.25:
        nouns += _same_head(rng, lexicon, nouns)
    things: dict[str, Thing] = {}
    for noun in nouns:
        if len(things) >= wanted:
            break
        if any(thing.noun.noun == noun.noun for thing in things.values()):
            continue
        for attribute in _attributes(rng, noun):
            name = f"{attribute} {noun.noun}".strip()
            if name not in things and name not in places:
                things[name] = Thing(name, noun, attribute, rng.choice(places))
    items = list(things.items())
    rng.shuffle(items)
    return dict(items)


def _same_head(rng: random.Random, lexicon: Lexicon, nouns: list[Noun]) -> list[Noun]:
    """A thing easily confused with one that is there: a wine bottle beside a water bottle."""
    heads = {noun.head for noun in nouns}
    alike = [noun for noun in lexicon.nouns if noun.head in heads and noun not in nouns and noun.noun != noun.head]
    found = rng.sample(alike, min(1, len(alike)))
    if found:
        nouns.insert(1, found[0])
    return []


def _attributes(rng: random.Random, noun: Noun) -> list[str]:
    if rng.random() < 0.3 and len(noun.attributes) > 1 and noun.noun not in WEAPONS:
        return rng.sample(noun.attributes, min(len(noun.attributes), rng.choice((2, 2, 2, 3))))
    return [rng.choice(noun.attributes)] if noun.attributes and rng.random() < 0.4 else [""]


def _people(rng: random.Random, lexicon: Lexicon, places: list[str]) -> dict[str, str]:
    names = list(rng.sample(lexicon.people, rng.choice((0, 1, 1, 2, 2, 3, 4))))
    if rng.random() < 0.94:
        names.insert(0 if rng.random() < 0.7 else rng.randint(0, len(names)), USER)
    return {name: rng.choice(places) for name in names}


def _skills(rng: random.Random) -> tuple[str, ...]:
    missing: Iterable[str] = ()
    if rng.random() < 0.11:
        missing = rng.sample([s for s in COMPACT_SKILLS if s != "go"], rng.choice((1, 1, 2, 3)))
    return tuple(skill for skill in COMPACT_SKILLS if skill not in missing)


def _place_phrases(place: str, synonyms: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((place, *synonyms, place.split()[-1])))


def _families(things: dict[str, Thing], held: str | None) -> list[tuple[Thing, ...]]:
    """Groups of things of one kind, in catalogue order, none of them held."""
    groups: dict[str, list[Thing]] = {}
    for thing in things.values():
        groups.setdefault(thing.noun.noun, []).append(thing)
    return [tuple(g) for g in groups.values() if len(g) > 1 and all(t.name != held for t in g)]
