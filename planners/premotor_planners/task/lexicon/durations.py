"""Lengths of time in an instruction: `20 seconds`, `half a minute`, `a minute and a half`, `1 min 30 s`."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_planners.task.lexicon.vocabulary import vocabulary
from premotor_planners.task.lexicon.words import Text

UNITS = {
    **dict.fromkeys(("second", "seconds", "sec", "secs", "s"), 1.0),
    **dict.fromkeys(("minute", "minutes", "min", "mins", "m"), 60.0),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h"), 3600.0),
}
_IDIOMS = frozenset({"second", "sec"})
"""`a second` is a figure of speech."""


@dataclass(frozen=True)
class Duration:
    """`seconds` is None where the words name a time without saying how long (`a few minutes`)."""

    start: int
    end: int
    seconds: float | None


def find_durations(text: Text, taken: frozenset[int]) -> list[Duration]:
    """Every length of time, in order; parts joined by `and` or nothing are added up."""
    found: list[Duration] = []
    index = 0
    while index < len(text.words):
        one = _duration_at(text, index) if index not in taken else None
        if one is None:
            index += 1
            continue
        if found and _adjoins(text, found[-1].end, one.start) and found[-1].seconds and one.seconds:
            before = found.pop()
            one = Duration(before.start, one.end, (before.seconds or 0.0) + one.seconds)
        found.append(one)
        index = one.end
    return found


def _adjoins(text: Text, end: int, start: int) -> bool:
    return end == start or (start == end + 1 and text.words[end].norm in ("and", ","))


def _duration_at(text: Text, index: int) -> Duration | None:
    words = [word.norm for word in text.words]
    count, after = _quantity(words, index)
    if after == index or after >= len(words) or words[after] not in UNITS:
        return None
    seconds = None if count is None else count * UNITS[words[after]]
    end = after + 1
    if words[end : end + 3] == ["and", "a", "half"] and seconds is not None:
        return Duration(index, end + 3, seconds + 0.5 * UNITS[words[after]])
    if words[index] == "a" and after == index + 1 and words[after] in _IDIOMS:
        seconds = None
    return Duration(index, end, seconds)


def _quantity(words: list[str], index: int) -> tuple[float | None, int]:
    """The number at `index` and where it ends; None for a vague one; unchanged index where there is none."""
    rest = words[index : index + 5]
    for phrase, value in vocabulary().amounts:
        if tuple(rest[: len(phrase)]) == phrase:
            return value, index + len(phrase)
    number, after = _number(words, index)
    if number is not None and words[after : after + 3] == ["and", "a", "half"]:
        return number + 0.5, after + 3
    if number is not None and words[after : after + 1] in (["to"], ["or"]) and _number(words, after + 1)[0] is not None:
        return None, _number(words, after + 1)[1]
    return number, after


def _number(words: list[str], index: int) -> tuple[float | None, int]:
    """Digits, or number words added up (`twenty five`, `one hundred and twenty`)."""
    known = vocabulary().numbers
    if index < len(words) and words[index].replace(".", "", 1).isdecimal():
        return float(words[index]), index + 1
    total, after = 0, index
    while after < len(words) and words[after] in known:
        value = known[words[after]]
        total = max(total, 1) * 100 if value == 100 else total + value
        after += 1
        if (
            words[after : after + 1] == ["and"]
            and value == 100
            and words[after + 1 : after + 2]
            and words[after + 1] in known
        ):
            after += 1
    return (float(total), after) if after > index else (None, index)
