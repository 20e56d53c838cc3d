"""Words to be said, as found in an instruction, and the patterns of `lexicon/speech.yaml` that find them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import yaml

from premotor_planners.task.lexicon.vocabulary import FOLDER, whole_words

ME = frozenset({"me", "us", "myself"})
THEM = frozenset({"him", "her", "them"})
EVERYONE = frozenset({"everyone", "everybody", "people", "anyone", "folks", "guys", "all", "world"})


@dataclass(frozen=True)
class Message:
    """Words start..end ask for speech, of which text_start..text_end are to be said (as `text`).

    `hearer` is a catalogue name, one of ME, THEM or EVERYONE as written, an unknown name (`known` False), or empty
    (nobody named). `also` are further hearers of the same words. `location` is a place or room to say it in, if one is
    named beside the words (`announce in the kitchen that …`).
    """

    start: int
    end: int
    text_start: int
    text_end: int
    text: str
    hearer: str
    known: bool
    location: str = ""
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class SpeechPatterns:
    """Openings by kind, and what ends the words to be said."""

    openings: tuple[tuple[str, re.Pattern[str]], ...]
    stop: re.Pattern[str]
    joint: re.Pattern[str]
    tail: re.Pattern[str]
    passed_over: frozenset[str]
    own_verbs: frozenset[str]
    own_objects: frozenset[str]
    not_own: frozenset[str]
    not_commands: frozenset[str]
    greeting: str


@lru_cache(maxsize=1)
def speech_patterns() -> SpeechPatterns:
    """The patterns of the package."""
    raw = yaml.safe_load((FOLDER / "speech.yaml").read_text(encoding="utf-8"))
    parts = {key: raw[key] for key in ("tell", "say", "link", "who")}
    return SpeechPatterns(
        openings=tuple((kind, whole_words([_filled(pattern, parts)])) for kind, pattern in raw["patterns"]),
        stop=whole_words([raw["stop"]]),
        joint=whole_words([raw["and"]]),
        tail=re.compile(raw["tail"]),
        passed_over=frozenset(raw["passed_over"]),
        own_verbs=frozenset(raw["own_verbs"]),
        own_objects=frozenset(raw["own_objects"]),
        not_own=frozenset(raw["not_own"]),
        not_commands=frozenset(raw["not_commands"]),
        greeting=raw["greeting"],
    )


def _filled(pattern: str, parts: dict[str, str]) -> str:
    for key, value in parts.items():
        pattern = pattern.replace(f"{{{key}}}", value)
    return pattern
