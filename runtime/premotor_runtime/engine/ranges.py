"""Numbers that a request brings, checked where it is made: the engine never sees a bad one."""

from __future__ import annotations

import math

from premotor_runtime.engine.errors import RequestError


def check_number(name: str, value: object, low: float, high: float, meaning: str, *, above: bool = False) -> None:
    """Raise RequestError unless `value` is a finite number in [low, high], or (low, high] with `above`."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not number or not low <= value <= high or (above and value == low):  # type: ignore[operator]
        bracket = "(" if above else "["
        raise RequestError(f"{name} must be a number in {bracket}{low:g}, {high:g}]; given {value!r}; {meaning}")


def check_count(name: str, value: object, low: int, high: int, meaning: str) -> None:
    """Raise RequestError unless `value` is a whole number in [low, high]."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise RequestError(f"{name} must be a whole number in [{low}, {high}]; given {value!r}; {meaning}")
