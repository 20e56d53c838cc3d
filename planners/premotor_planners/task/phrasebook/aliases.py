"""Everything that a catalogue entry may be called, with how far that is from its name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.lexicon.vocabulary import singulars
from premotor_planners.task.lexicon.words import name_words
from premotor_planners.task.phrasebook.thesaurus import Phrase, Thesaurus, thesaurus
from premotor_planners.task.reading.naming import HEADLESS, Names

MAX_MODIFIERS = 4


@dataclass(frozen=True)
class Option:
    """An entry that a phrase may mean. `rank` 0: its name, 1: another word for it or its head, 2: looser."""

    name: str
    rank: int


def best(options: tuple[Option, ...]) -> tuple[str, ...]:
    """The names of the lowest rank, in the order of the options."""
    lowest = min((option.rank for option in options), default=0)
    return tuple(option.name for option in options if option.rank == lowest)


def those_at(options: tuple[Option, ...], spots: tuple[Option, ...], catalogue: Catalogue) -> tuple[Option, ...]:
    """The options that stand at one of the places, or in one of the rooms."""
    wanted = {spot.name for spot in spots}
    places = {option: catalogue.objects.get(option.name, option.name) for option in options}
    return tuple(option for option, place in places.items() if wanted & {place, catalogue.places.get(place)})


def aliases_of(catalogue: Catalogue) -> Aliases:
    """The aliases of a catalogue; those of the last few catalogues are kept."""
    return _aliases(_Key(catalogue))


class _Key:
    """A catalogue as a cache key: equal where the catalogues are (mappings in one order)."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        named = (catalogue.places, catalogue.objects, catalogue.people, catalogue.synonyms)
        parts = tuple(tuple((name, value) for name, value in mapping.items()) for mapping in named)
        self.value = (catalogue.rooms, catalogue.holding, catalogue.docks, parts)

    def __hash__(self) -> int:
        return hash(repr(self.value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.value == other.value


@lru_cache(maxsize=8)
def _aliases(key: _Key) -> Aliases:
    return Aliases(key.catalogue)


class Aliases:
    """The phrases of a catalogue by kind: `things`, `spots` (places and rooms) and `people`."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        loose = _loose(Names(catalogue))
        held = (catalogue.holding,) if catalogue.holding and catalogue.holding not in catalogue.objects else ()
        self.things = _table((*catalogue.objects, *held), catalogue, loose)
        self.spots = _table((*catalogue.places, *catalogue.rooms), catalogue, loose)
        self.people = _people(catalogue, loose)
        self.longest = max((len(p) for t in (self.things, self.spots, self.people) for p in t), default=1)
        self.words = frozenset(w for t in (self.things, self.spots, self.people) for p in t for w in p)

    def plural(self, phrase: Phrase) -> tuple[Option, ...]:
        """The things of the kind that the plural names; empty when the words are not a plural of anything there."""
        known = thesaurus().plurals.get(phrase)
        forms = [known] if known else [(*phrase[:-1], form) for form in singulars(phrase[-1])]
        return next((self.things[form] for form in forms if form in self.things), ())


def _loose(names: Names) -> dict[str, dict[Phrase, int]]:
    found: dict[str, dict[Phrase, int]] = {}
    for group in names.aliases.values():
        for alias in group:
            found.setdefault(alias.name, {})[alias.words] = min(alias.rank * 2, 2)
    return found


def _table(
    entries: tuple[str, ...], catalogue: Catalogue, loose: dict[str, dict[Phrase, int]]
) -> dict[Phrase, tuple[Option, ...]]:
    found: dict[Phrase, list[Option]] = {}
    for name in entries:
        ranks = dict(loose.get(name, {}))
        for phrase in _called(name, catalogue):
            ranks[phrase] = min(ranks.get(phrase, 1), 1)
        ranks[name_words(name)] = 0
        for phrase, rank in ranks.items():
            if phrase:
                found.setdefault(phrase, []).append(Option(name, rank))
    return {phrase: tuple(options) for phrase, options in found.items()}


def _people(catalogue: Catalogue, loose: dict[str, dict[Phrase, int]]) -> dict[Phrase, tuple[Option, ...]]:
    found: dict[Phrase, list[Option]] = {}
    for name in catalogue.people:
        for phrase, rank in {**loose.get(name, {}), name_words(name): 0}.items():
            if phrase:
                found.setdefault(phrase, []).append(Option(name, rank))
    return {phrase: tuple(options) for phrase, options in found.items()}


def _called(name: str, catalogue: Catalogue) -> Iterator[Phrase]:
    words, known = name_words(name), thesaurus()
    if not words:
        return
    for synonym in catalogue.synonyms.get(name, ()):
        yield name_words(synonym)
    noun = _noun(words, known)
    before = words[: -len(noun)][-MAX_MODIFIERS:]
    is_room = name in catalogue.rooms
    for plain in dict.fromkeys((*known.groups.get(noun, (noun,)), *(() if is_room else (_head(noun),)))):
        for count in range(len(before) + 1):
            for kept in combinations(before, count):
                yield (*kept, *plain)
    if is_room:
        return
    yield from _heads(words)


def _noun(words: Phrase, known: Thesaurus) -> Phrase:
    """The longest end of the name that is known to name a kind of thing; else its head with what follows."""
    for start in range(len(words)):
        if words[start:] in known.groups:
            return words[start:]
    if "of" in words[1:]:
        return words[words.index("of", 1) - 1 :]
    return words[-1:]


def _head(noun: Phrase) -> Phrase:
    return noun[: noun.index("of", 1)][-1:] if "of" in noun[1:] else noun[-1:]


def _heads(words: Phrase) -> Iterator[Phrase]:
    head = _head(words)
    if head[0] not in HEADLESS and len(head[0]) > 1 and not head[0].isdecimal():
        yield head
