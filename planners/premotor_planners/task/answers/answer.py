"""What a planner may answer in the compact plan language: steps, one refusal, or one question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

RefusalKind = Literal["unsafe", "unsupported", "unknown", "unclear"]
REFUSAL_KINDS: tuple[RefusalKind, ...] = ("unsafe", "unsupported", "unknown", "unclear")

MAX_STEPS = 12
MAX_TEXT_CHARS = 200
MAX_UNKNOWN_CHARS = 60
MAX_CANDIDATES = 8


@dataclass(frozen=True)
class CompactStep:
    """One step: `name` is the catalogue name (go, pick, place, give, inspect) or the text (say), else empty.

    `duration_s` is for wait only, in seconds.
    """

    skill: str
    name: str = ""
    duration_s: float = 0.0


@dataclass(frozen=True)
class StepsAnswer:
    """A plan in compact form; the driving before pick, place, give and inspect is not written."""

    steps: tuple[CompactStep, ...]


@dataclass(frozen=True)
class RefusalAnswer:
    """The model refuses; `what` is the unknown thing in the words of the instruction (kind unknown only)."""

    kind: RefusalKind
    what: str = ""


@dataclass(frozen=True)
class AskAnswer:
    """The model asks which of several catalogue entries is meant."""

    candidates: tuple[str, ...]


Answer: TypeAlias = StepsAnswer | RefusalAnswer | AskAnswer
