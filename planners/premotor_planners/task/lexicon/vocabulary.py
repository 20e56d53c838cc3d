"""The English lexicon, read once from `lexicon/*.yaml`: what words can mean for a robot, in any world."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent
VERB_CLASSES = ("move", "fetch", "pick", "keep", "give", "go", "wait", "inspect", "dock", "tell", "say")
FUNCTION_GROUPS = ("determiners", "pronouns", "prepositions", "auxiliaries", "conjunctions", "fillers")
WORD_GROUPS = (*FUNCTION_GROUPS, "adjectives", "colors")
_VOWELS = "aeiou"


@dataclass(frozen=True)
class VerbSense:
    """A verb with its particles (perhaps none) and the classes it may belong to; `unsupported` is one of them."""

    particles: tuple[str, ...]
    classes: frozenset[str]


@dataclass(frozen=True)
class Vocabulary:
    """Everything the readers look words up in. `bases` maps any inflected form to its base forms."""

    groups: Mapping[str, frozenset[str]]
    numbers: Mapping[str, int]
    contractions: Mapping[str, tuple[str, ...]]
    senses: Mapping[str, tuple[VerbSense, ...]]
    bases: Mapping[str, frozenset[str]]
    nouns: tuple[tuple[tuple[str, ...], ...], ...]
    polite: re.Pattern[str]
    asides: re.Pattern[str]
    manner: re.Pattern[str]
    correction: re.Pattern[str]
    light_objects: frozenset[str]
    states: frozenset[str]
    amounts: tuple[tuple[tuple[str, ...], float | None], ...]

    def is_one_of(self, word: str, *groups: str) -> bool:
        """Whether `word` is in any of the named groups."""
        return any(word in self.groups[group] for group in groups)

    def is_function(self, word: str) -> bool:
        """Whether `word` carries no content: grammar, politeness, adverbs."""
        return word in self.numbers or any(word in self.groups[group] for group in FUNCTION_GROUPS)

    def is_known(self, word: str) -> bool:
        """Whether `word` is in the lexicon at all, in any form."""
        return self.is_function(word) or word in self.bases or self.is_one_of(word, "adjectives", "colors")


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """The lexicon of the package."""
    words, verbs = _read("words"), _read("verbs")
    unsupported, phrases = _read("unsupported"), _read("phrases")
    senses = _senses({**{name: verbs[name] for name in VERB_CLASSES}, "unsupported": unsupported["verbs"]})
    return Vocabulary(
        groups={group: frozenset(map(str, words[group])) for group in WORD_GROUPS},
        numbers=words["numbers"],
        contractions={str(short): tuple(str(long).split()) for short, long in words["contractions"].items()},
        senses=senses,
        bases=_bases(senses, verbs["irregular"]),
        nouns=tuple(tuple(tuple(phrase.split()) for phrase in group) for group in _read("nouns")["groups"]),
        polite=whole_words(phrases["polite"]),
        asides=whole_words(phrases["asides"]),
        manner=whole_words(phrases["manner"]),
        correction=whole_words(phrases["correction"]),
        light_objects=frozenset(unsupported["light_objects"]),
        states=frozenset(words["states"]),
        amounts=tuple((tuple(str(phrase).split()), amount) for phrase, amount in words["amounts"].items()),
    )


def singulars(word: str) -> tuple[str, ...]:
    """What `word` may be the plural of (never `word` itself): `boxes` of box, `knives` of knife, `mugs` of mug."""
    forms: list[str] = []
    if len(word) > 3 and word.endswith("ves"):
        forms += [word[:-3] + "f", word[:-3] + "fe"]
    if len(word) > 3 and word.endswith("ies"):
        forms.append(word[:-3] + "y")
    if len(word) > 3 and word.endswith("es") and word[-3] in "sxzho":
        forms.append(word[:-2])
    if len(word) > 2 and word.endswith("s") and not word.endswith("ss"):
        forms.append(word[:-1])
    return tuple(forms)


def inflections(base: str) -> Iterable[str]:
    """Forms of a regular verb: base, -s, -ing, -ed, with the spellings that English allows."""
    yield base
    yield base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
    stems = {base}
    if base.endswith("e"):
        stems = {base[:-1]}
    elif len(base) > 2 and base[-1] not in _VOWELS + "wxy" and base[-2] in _VOWELS and base[-3] not in _VOWELS:
        stems = {base, base + base[-1]}
    for stem in stems:
        yield stem + "ing"
        yield stem + "ed"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        yield base[:-1] + "ies"
        yield base[:-1] + "ied"


def _read(name: str) -> Any:
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))


def whole_words(patterns: Iterable[str]) -> re.Pattern[str]:
    """One pattern out of several, for whole words only: it matches between single spaces."""
    return re.compile("(?<= )(?:" + "|".join(f"(?:{pattern})" for pattern in patterns) + ")(?= )")


def _senses(classes: Mapping[str, Iterable[str]]) -> dict[str, tuple[VerbSense, ...]]:
    found: dict[str, dict[tuple[str, ...], set[str]]] = {}
    for name, phrases in classes.items():
        for phrase in phrases:
            base, *particles = str(phrase).split()
            found.setdefault(base, {}).setdefault(tuple(particles), set()).add(name)
    return {
        base: tuple(VerbSense(particles, frozenset(names)) for particles, names in senses.items())
        for base, senses in found.items()
    }


def _bases(senses: Iterable[str], irregular: Mapping[str, str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for base in senses:
        for form in inflections(base):
            found.setdefault(form, set()).add(base)
    for form, base in irregular.items():
        found[form] = {base}
    return {form: frozenset(bases) for form, bases in found.items()}
