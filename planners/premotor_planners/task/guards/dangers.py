"""Words and patterns of danger, compiled once from `lexicon/hazards.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from premotor_planners.task.lexicon.vocabulary import FOLDER, inflections, whole_words

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
    "articles", "ordering",
)  # fmt: skip
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


def _verbs(bases: Iterable[str]) -> re.Pattern[str]:
    forms = list(_IRREGULAR)
    for base in bases:
        first, *rest = base.split()
        forms += [" ".join((form, *rest)) for form in inflections(first)]
    return _words(forms)


def _words(words: Iterable[str]) -> re.Pattern[str]:
    return whole_words(re.escape(word) for word in sorted(set(words), key=len, reverse=True))
