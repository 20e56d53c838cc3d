"""Other words for things, places and rooms, and words that are certainly names of something, from the corpus lexicon.

A thing that is not in the catalogue is reported as unknown only when its words are known here: an unknown word may
always be another word for something that is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import yaml

from premotor_planners.corpus.lexicon import is_held_out
from premotor_planners.task.lexicon.vocabulary import vocabulary
from premotor_planners.task.lexicon.words import name_words

Phrase = tuple[str, ...]
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Thesaurus:
    """`groups` maps a phrase to everything that names the same; `plurals` maps an irregular or regular plural back.

    `things`, `places` and `people` are the phrases known to name such; `attributes` are words that stand before them.
    """

    groups: dict[Phrase, frozenset[Phrase]]
    plurals: dict[Phrase, Phrase]
    things: frozenset[Phrase]
    places: frozenset[Phrase]
    people: frozenset[Phrase]
    attributes: frozenset[Phrase]
    words: frozenset[str]


@lru_cache(maxsize=1)
def thesaurus() -> Thesaurus:
    """The thesaurus of the package, of the names that models are trained on: held-out ones stay unseen here too."""
    nouns = [n for n in (*_read("objects"), *_read("hazard_objects")) if not is_held_out(n["noun"])]
    rooms = [{**r, "places": _seen(r["places"])} for r in _read("rooms") if not is_held_out(r["name"])]
    synonyms = {place: words for place, words in _read("place_synonyms").items() if not is_held_out(place)}
    unknown = {kind: _seen(names) for kind, names in _merged(_read("unknown_things")).items()}
    groups = [*_noun_groups(nouns), *_room_groups(rooms), *_place_groups(synonyms)]
    things = {*_phrases(n["noun"] for n in nouns), *_phrases(s for n in nouns for s in n["synonyms"])}
    things |= {*_phrases(unknown["objects"])}
    places = {phrase for group in (*_room_groups(rooms), *_place_groups(synonyms)) for phrase in group}
    places |= {*_phrases(p for room in rooms for p in room["places"]), *_phrases(unknown["places"])}
    people = {*_phrases(_seen(_read("people"))), *_phrases(map(_bare, unknown["people"]))}
    attributes = {*_phrases(a for n in nouns for a in n["attributes"])}
    plurals = dict(zip(_phrases(n["plural"] for n in nouns), _phrases(n["noun"] for n in nouns), strict=True))
    known = (*things, *places, *people, *attributes, *plurals)
    return Thesaurus(
        groups=_indexed(groups),
        plurals=plurals,
        things=frozenset(things),
        places=frozenset(places),
        people=frozenset(people),
        attributes=frozenset(attributes),
        words=frozenset(word for phrase in known for word in phrase),
    )


def _seen(names: Iterable[str]) -> list[str]:
    return [name for name in names if not is_held_out(name)]


def _noun_groups(nouns: Iterable[Any]) -> Iterator[list[Phrase]]:
    for entry in nouns:
        yield list(_phrases((entry["noun"], *entry["synonyms"])))


def _room_groups(rooms: Iterable[Any]) -> Iterator[list[Phrase]]:
    for entry in rooms:
        yield list(_phrases((entry["name"], *entry["synonyms"])))


def _place_groups(synonyms: dict[str, list[str]]) -> Iterator[list[Phrase]]:
    for place, others in synonyms.items():
        yield list(_phrases((place, *others)))


def _indexed(groups: Iterable[list[Phrase]]) -> dict[Phrase, frozenset[Phrase]]:
    """A group is known by its first phrase only as a name; any phrase finds the other words of its own groups."""
    found: dict[Phrase, frozenset[Phrase]] = {}
    for group in groups:
        for phrase in group:
            found[phrase] = found.get(phrase, frozenset()) | frozenset(group)
    for alike in vocabulary().nouns:
        for phrase in alike:
            found.setdefault(phrase, frozenset((phrase,)))
    return found


def _phrases(names: Iterable[str]) -> Iterator[Phrase]:
    for name in names:
        words = name_words(str(name))
        if words:
            yield words


def _bare(name: str) -> str:
    return name.removeprefix("the ").removeprefix("my ")


def _merged(parts: Any) -> dict[str, list[str]]:
    if isinstance(parts, dict):
        return parts
    return {key: value for part in parts for key, value in part.items()}


def _read(name: str) -> Any:
    text = (files("premotor_planners.corpus") / "lexicon" / f"{name}.yaml").read_text("utf-8")
    return yaml.load(text, Loader=_LOADER)  # noqa: S506 - a safe loader, written in C where there is one
