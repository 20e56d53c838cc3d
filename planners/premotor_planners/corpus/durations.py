"""Durations as people say them."""

from __future__ import annotations

import random

_WORDS = {
    2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten", 12: "twelve",
    15: "fifteen", 20: "twenty", 25: "twenty-five", 30: "thirty", 40: "forty", 45: "forty-five", 50: "fifty",
}  # fmt: skip
_SPECIAL = (
    ("half a minute", 30), ("half a minute", 30), ("a couple of minutes", 120), ("a couple of seconds", 2),
    ("a minute", 60), ("one minute", 60), ("a minute and a half", 90), ("one and a half minutes", 90),
    ("an hour", 3600), ("one hour", 3600), ("half an hour", 1800), ("a quarter of an hour", 900),
    ("a second", 1), ("one second", 1),
    ("1 minute", 60), ("two and a half minutes", 150), ("a couple of hours", 7200), ("a full minute", 60),
)  # fmt: skip
_COUNTS = {
    "second": ((*range(2, 60), 10, 15, 20, 30, 45, 5, 90, 75, 100, 150), ("second", "sec"), 1),
    "minute": ((*range(2, 31), 5, 10, 45, 50, 90), ("minute", "min"), 60),
    "hour": ((2, 3, 4, 5, 6, 8, 12), ("hour", "hour"), 3600),
}


def sample_duration(rng: random.Random) -> tuple[str, float]:
    """The words, and the seconds that they mean."""
    if rng.random() < 0.2:
        words, seconds = rng.choice(_SPECIAL)
        return words, float(seconds)
    unit = rng.choices(("second", "minute", "hour"), (10, 9, 1))[0]
    counts, names, scale = _COUNTS[unit]
    count = rng.choice(counts)
    name = names[0] if rng.random() < 0.92 else names[1]
    number = _WORDS[count] if count in _WORDS and rng.random() < 0.45 else str(count)
    joint = "" if name in ("sec", "min") and number.isdecimal() and rng.random() < 0.3 else " "
    plural = "" if not joint or (name in ("sec", "min") and rng.random() < 0.5) else "s"
    return f"{number}{joint}{name}{plural}", float(count * scale)
