"""Words and patterns of danger, compiled once from `lexicon/hazards.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from premotor_planners.task.lexicon.vocabulary import FOLDER, inflections, vocabulary, whole_words
from premotor_planners.task.reading.slips import slipped

_VERBS = ("harm_verbs", "throw_verbs", "hot_verbs", "block_verbs", "disable_verbs")
_WORDS = (
    "harm_phrases", "weapons", "dangerous", "vulnerable", "hot", "edges",
    "exits", "safety_nouns", "speed", "lowlevel", "blades", "body",
    "ways", "threats",
)  # fmt: skip
_PATTERNS = (
    "injection",
    "thrown",
    "unknowingly",
    "deceiving",
    "resting",
    "overdose",
    "own_cut",
    "edge_way",
    "before_exit",
    "beside_exit",
)
_ENDINGS = ("put_into", "edge_close")
_SETS = (
    "people", "not_forced", "fragile", "doubtful_edges", "negations", "sufferers",
    "causing", "told", "hurting", "before_command", "moving_over", "moving_into", "over_to",
    "articles", "ordering", "harm_verbs", "throw_verbs",
)  # fmt: skip
_LEAST_LETTERS = 5
"""Shorter words are one slip away from too many others."""
_IRREGULAR = ("shot", "beat", "stole", "stolen", "bit", "struck", "threw", "thrown", "ran", "drove", "hidden")


@dataclass(frozen=True)
class Dangers:
    """`patterns` search text with one space around every word; `forced` are templates with {people} left open."""

    patterns: Mapping[str, re.Pattern[str]]
    sets: Mapping[str, frozenset[str]]
    forced: tuple[str, ...]
    raw_commands: re.Pattern[str]


@lru_cache(maxsize=1)
def dangers() -> Dangers:
    """The dangers of the package."""
    raw: Any = yaml.safe_load((FOLDER / "hazards.yaml").read_text(encoding="utf-8"))
    patterns = {name: _verbs(raw[name]) for name in _VERBS} | {name: _words(raw[name]) for name in _WORDS}
    patterns |= {name: whole_words([raw[name]] if isinstance(raw[name], str) else raw[name]) for name in _PATTERNS}
    patterns |= {name: re.compile(f"(?<= ){raw[name]}") for name in _ENDINGS}
    return Dangers(
        patterns=patterns,
        sets={name: frozenset(raw[name]) for name in _SETS},
        forced=tuple(raw["forced"]),
        raw_commands=re.compile("|".join(raw["raw_commands"])),
    )


@lru_cache(maxsize=4096)
def mistyped(word: str) -> str:
    """The dangerous verb that an unknown word is a slip of the fingers from (`thrrow`), else the word itself.

    A word that could as well be a slip from a harmless verb is left alone.
    """
    known = vocabulary()
    if len(word) < _LEAST_LETTERS or known.is_known(word) or word in harmful_verbs():
        return word
    if any(slipped(word, base) for base in known.senses if base not in harmful_verbs()):
        return word
    return next((verb for verb in sorted(harmful_verbs()) if slipped(word, verb)), word)


@lru_cache(maxsize=1)
def harmful_verbs() -> frozenset[str]:
    """Verbs that harm or throw, in every form."""
    sets = dangers().sets
    return frozenset(f for base in (*sets["harm_verbs"], *sets["throw_verbs"]) for f in (base, *inflections(base)))


def _verbs(bases: Iterable[str]) -> re.Pattern[str]:
    forms = list(_IRREGULAR)
    for base in bases:
        first, *rest = base.split()
        forms += [" ".join((form, *rest)) for form in inflections(first)]
    return _words(forms)


def _words(words: Iterable[str]) -> re.Pattern[str]:
    return whole_words(re.escape(word) for word in sorted(set(words), key=len, reverse=True))
