"""Closed word classes and sentence patterns of English, from `lexicon/syntax.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import yaml

from premotor_planners.task.lexicon.vocabulary import FOLDER, whole_words


@dataclass(frozen=True)
class Syntax:
    """The groups by name, and the patterns for words between single spaces."""

    groups: Mapping[str, frozenset[str]]
    exclusions: tuple[str, ...]
    wishes: re.Pattern[str]
    requesting: re.Pattern[str]
    own_business: re.Pattern[str]


@lru_cache(maxsize=1)
def syntax() -> Syntax:
    """The syntax of the package."""
    raw = yaml.safe_load((FOLDER / "syntax.yaml").read_text(encoding="utf-8"))
    return Syntax(
        groups={name: frozenset(words) for name, words in raw["groups"].items()},
        exclusions=tuple(raw["exclusions"]),
        wishes=whole_words(raw["wishes"]),
        requesting=whole_words(raw["requesting"]),
        own_business=whole_words(raw["own_business"]),
    )


def is_in(word: str, *groups: str) -> bool:
    """Whether `word` is in one of the named groups."""
    known = syntax().groups
    return any(word in known[group] for group in groups)
