"""What a name in a world file may look like: it is shown to a language model, spoken by a grammar, and printed."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable

MAX_NAME = 40
RESERVED = frozenset({"me", "you", "it", "here", "there", "nothing", "none", "robot", "user"})
"""Words with a meaning of their own in instructions and prompts; `user` may only name a person."""
_MARKS = " -'&.+"


def fault_of(name: str, *, is_person: bool = False) -> str | None:
    """Why `name` may not be used, or None. Letters and digits of any script, single spaces and - ' & . + inside."""
    if not name:
        return "is empty; give it a name"
    if len(name) > MAX_NAME:
        return f"has {len(name)} characters; at most {MAX_NAME} are allowed"
    bad = next((char for char in name if not _allowed(char)), None)
    if bad is not None:
        return f"contains {bad!a}; letters, digits, spaces and {' '.join(_MARKS.strip())} are allowed"
    if not _word(name[0]) or not (_word(name[-1]) or name[-1] in ".+") or "  " in name:
        return "must start and end with a letter or digit and have single spaces"
    if name.casefold() in RESERVED and not (is_person and name == "user"):
        return f"is a reserved word ({', '.join(sorted(RESERVED))}); choose another name"
    return None


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint that ends a message about an unknown name."""
    choices = sorted(known)
    close = difflib.get_close_matches(name, choices, n=1, cutoff=0.5)
    if close:
        return f"did you mean `{close[0]}`?"
    return f"known: {', '.join(choices[:12])}{', …' if len(choices) > 12 else ''}" if choices else "none is defined"


def _word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")


def _allowed(char: str) -> bool:
    return _word(char) or char in _MARKS
