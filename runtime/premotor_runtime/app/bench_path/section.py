"""What a section of the benchmark found: figures for a program, lines for people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Line:
    """One measure; `bar` is empty and `met` None where nothing is asked for."""

    measure: str
    result: str
    bar: str = ""
    met: bool | None = None


@dataclass(frozen=True)
class Section:
    """`absent` says who was to be measured beside and is not here, with the remedy."""

    figures: dict[str, Any]
    lines: tuple[Line, ...]
    absent: tuple[str, ...] = field(default=())


def at_most_ms(measure: str, value: float, most: float) -> Line:
    """A time and its bar."""
    return Line(measure, f"{value:.2f} ms", f"<= {most:g} ms", value <= most)


def at_least_times(measure: str, ratio: float, least: float) -> Line:
    """A ratio and its bar."""
    return Line(measure, f"{ratio:.1f}x", f">= {least:g}x", ratio >= least)
