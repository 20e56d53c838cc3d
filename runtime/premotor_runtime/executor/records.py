"""What happened when, on which lane: the raw material of a mission's timeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

SpanArgs: TypeAlias = Mapping[str, str | int | float | bool]


@dataclass(frozen=True)
class Span:
    """Work called `name` that occupied `lane` from `start_s` to `end_s` (seconds on one clock, the end not earlier)."""

    lane: str
    name: str
    start_s: float
    end_s: float
    args: SpanArgs = field(default_factory=dict)


@dataclass(frozen=True)
class Instant:
    """A moment on `lane`, such as a missed deadline, at `at_s` seconds on the clock of the spans."""

    lane: str
    name: str
    at_s: float
    args: SpanArgs = field(default_factory=dict)


Record: TypeAlias = Span | Instant
