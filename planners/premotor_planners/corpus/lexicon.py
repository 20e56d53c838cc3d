"""The words that random worlds and instructions are made of, split by name into a training and a held-out half."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "lexicon"
WEAPONS = frozenset({"gun", "pistol", "rifle", "ammunition box", "hand grenade"})
HELD_OUT_BYTE = 64
"""Of 256: a quarter of all names is never trained on."""
_SALT = "premotor-names-1:"


@dataclass(frozen=True)
class Noun:
    """A kind of thing; `uses` are descriptions such as "something to eat soup from"."""

    noun: str
    plural: str
    synonyms: tuple[str, ...]
    attributes: tuple[str, ...]
    uses: tuple[str, ...] = ()
    hazard: bool = False

    @property
    def head(self) -> str:
        """The word that remains when qualifiers go: bottle, for a water bottle; ball, for a ball of yarn."""
        return self.noun.split(" of ")[0].split()[-1]


@dataclass(frozen=True)
class RoomWords:
    """A kind of room and the places found in it."""

    name: str
    synonyms: tuple[str, ...]
    places: tuple[str, ...]


@dataclass(frozen=True)
class Lexicon:
    """One half of the words."""

    nouns: tuple[Noun, ...]
    hazards: tuple[Noun, ...]
    rooms: tuple[RoomWords, ...]
    spare_places: tuple[str, ...]
    place_synonyms: dict[str, tuple[str, ...]]
    people: tuple[str, ...]
    messages: tuple[str, ...]
    orders: tuple[str, ...]
    unknown_objects: tuple[str, ...]
    unknown_places: tuple[str, ...]
    unknown_people: tuple[str, ...]


def is_held_out(name: str) -> bool:
    """Whether a name belongs to the held-out quarter; depends on the name alone."""
    return hashlib.sha256((_SALT + name.lower()).encode()).digest()[0] < HELD_OUT_BYTE


@lru_cache(maxsize=2)
def load_lexicon(held_out: bool) -> Lexicon:
    """The training words, or the held-out ones."""
    rooms = [RoomWords(r["name"], tuple(r["synonyms"]), tuple(r["places"])) for r in _read("rooms")]
    unknown = _read("unknown_things")
    if isinstance(unknown, list):
        unknown = {key: value for part in unknown for key, value in part.items()}
    all_places = dict.fromkeys(place for room in rooms for place in room.places)
    return Lexicon(
        nouns=_half(_nouns("objects", False), held_out),
        hazards=_half(_nouns("hazard_objects", True), held_out),
        rooms=tuple(
            RoomWords(r.name, r.synonyms, _names(r.places, held_out)) for r in rooms if is_held_out(r.name) is held_out
        ),
        spare_places=_names(all_places, held_out),
        place_synonyms={
            p: tuple(s for s in words if " in the " not in s) for p, words in _read("place_synonyms").items()
        },
        people=_names(_read("people"), held_out),
        messages=_names(_read("messages"), held_out),
        orders=_names(_read("orders"), held_out),
        unknown_objects=_names(unknown["objects"], held_out),
        unknown_places=_names(unknown["places"], held_out),
        unknown_people=_names(unknown["people"], held_out),
    )


def _nouns(name: str, hazard: bool) -> list[Noun]:
    return [
        Noun(
            entry["noun"],
            entry["plural"],
            tuple(entry["synonyms"]),
            tuple(entry["attributes"]),
            tuple(entry.get("uses", ())),
            hazard,
        )
        for entry in _read(name)
    ]


def _half(nouns: Iterable[Noun], held_out: bool) -> tuple[Noun, ...]:
    return tuple(noun for noun in nouns if is_held_out(noun.noun) is held_out)


def _names(names: Iterable[str], held_out: bool) -> tuple[str, ...]:
    return tuple(name for name in names if is_held_out(name) is held_out)


def _read(name: str) -> Any:
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
