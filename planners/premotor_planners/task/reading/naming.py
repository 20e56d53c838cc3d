"""What a catalogue entry may be called: its name, its world's synonyms, its head noun, and lexicon words for either."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.lexicon.vocabulary import singulars, vocabulary
from premotor_planners.task.lexicon.words import name_words

Phrase = tuple[str, ...]
SPEAKER = "user"
"""The person who gives the task; "me" in an instruction."""

HEADLESS = frozenset({"room", "area", "zone", "station", "number"})
"""Last words too general to stand for a name alone (`living room` is not `the room`)."""


_LONGEST_SHORTENED = 5


@dataclass(frozen=True)
class Alias:
    """Words for a catalogue entry. `rank` 0: its very name, 1: other words for it, 2: the last word of those."""

    words: Phrase
    name: str
    rank: int


class Names:
    """All aliases of a catalogue, by their first word."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.aliases: dict[str, list[Alias]] = {}
        for name in dict.fromkeys(_entries(catalogue)):
            for words, rank in (_ranked(name, catalogue) if name_words(name) else {}).items():
                self.aliases.setdefault(words[0], []).append(Alias(words, name, rank))
        self.longest = max((len(a.words) for group in self.aliases.values() for a in group), default=0)

    def match(self, words: Phrase) -> tuple[tuple[str, ...], bool]:
        """The entries that exactly these words may mean, in catalogue order, and whether they are in the plural.

        Entries that have the words as their very name win over those that have them as other words.
        """
        found, plural = self._with(words), False
        if not found:
            forms = [(*words[:-1], form) for form in singulars(words[-1])]
            found = [alias for form in forms for alias in self._with(form)]
            plural = bool(found)
        best = min((alias.rank for alias in found), default=0)
        return tuple(dict.fromkeys(alias.name for alias in found if alias.rank == best)), plural

    def kind(self, name: str) -> str:
        """`object`, `place`, `room` or `person`."""
        kinds = {"object": self.catalogue.objects, "place": self.catalogue.places, "room": self.catalogue.rooms}
        return next((kind for kind, names in kinds.items() if name in names), "person")

    def _with(self, words: Phrase) -> list[Alias]:
        group = self.aliases.get(words[0], ())
        return [alias for alias in group if alias.words == words]


def _entries(catalogue: Catalogue) -> Iterable[str]:
    return (*catalogue.objects, *catalogue.places, *catalogue.rooms, *catalogue.people)


def _ranked(name: str, catalogue: Catalogue) -> dict[Phrase, int]:
    """The phrases for one entry with their best rank."""
    ranks = {name_words(synonym)[-1:]: 2 for synonym in catalogue.synonyms.get(name, ())}
    ranks |= dict.fromkeys(_phrases(name, catalogue), 1)
    ranks[name_words(name)] = 0
    return {words: rank for words, rank in ranks.items() if words}


def _phrases(name: str, catalogue: Catalogue) -> Iterator[Phrase]:
    words = name_words(name)
    yield ("".join(words),)
    if name in catalogue.people:
        yield from _person(words, name)
        return
    for synonym in catalogue.synonyms.get(name, ()):
        yield name_words(synonym)
    if is_qualifier(words[-1]) and len(words) > 1:
        yield from _qualified(words)
        return
    if words[-1] not in HEADLESS:
        yield words[-1:]
    yield from _shortened(words)
    yield from _turned(words)
    yield from _from_lexicon(words)
    if name in catalogue.docks:
        yield from _from_lexicon(("dock",))


def _shortened(words: Phrase) -> Iterator[Phrase]:
    """`big nail clipper` is also the big clipper and the nail clipper."""
    if 3 <= len(words) <= _LONGEST_SHORTENED:
        for count in range(1, len(words) - 1):
            for before in combinations(words[:-1], count):
                yield (*before, words[-1])


def _turned(words: Phrase) -> Iterator[Phrase]:
    """`box of chalk` for a chalk box, `white box of chalk` for a white one; and the other way round."""
    if "of" in words[1:-1]:
        at = words.index("of", 1)
        yield (*words[: at - 1], *words[at + 1 :], words[at - 1])
        yield (*words[at + 1 :], words[at - 1])
    elif len(words) > 1:
        yield (*words[:-2], words[-1], "of", words[-2])
        yield (words[-1], "of", words[-2])


def is_qualifier(word: str) -> bool:
    """A number or letter that tells entries of one sort apart (`rack 7`, `room B`)."""
    return len(word) == 1 or word.replace(".", "").isdecimal()


def _qualified(words: Phrase) -> Iterator[Phrase]:
    """With and without the number or letter: `meeting room` alone may be any of them."""
    sort, qualifier = words[:-1], words[-1]
    for phrase in (sort, sort[-1:], *_from_lexicon(sort)):
        yield (*phrase, qualifier)
        if phrase[-1] not in HEADLESS or len(phrase) > 1:
            yield phrase


def _person(words: Phrase, name: str) -> Iterator[Phrase]:
    """A person may be called by first or last name; the speaker is always a pronoun."""
    if name == SPEAKER:
        return
    for word in words:
        if len(word) > 2 and word not in {"the", "doctor", "mrs", "miss", "prof", "sir", "von", "van", "der", "nurse"}:
            yield (word,)
    if words[0] == "dr":
        yield ("doctor", *words[1:])


def _from_lexicon(words: Phrase) -> Iterator[Phrase]:
    """Other words for the whole name or for its end, with and without what stands before (`red cup`, `cup`)."""
    for group in vocabulary().nouns:
        for phrase in group:
            if words[-len(phrase) :] == phrase:
                before = words[: -len(phrase)]
                for other in group:
                    yield (*before, *other)
                    yield other
