"""Slips of the fingers: one letter too many, too few, or two letters swapped."""

from __future__ import annotations


def slipped(word: str, other: str) -> bool:
    """One letter inserted, dropped or swapped with its neighbour, the first letter kept (no substitutions)."""
    if word == other or word[:1] != other[:1]:
        return False
    longer, shorter = sorted((word, other), key=len, reverse=True)
    if len(longer) == len(shorter) + 1:
        return any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))
    return any(word[:i] + word[i + 1] + word[i] + word[i + 2 :] == other for i in range(len(word) - 1)) and len(
        word
    ) == len(other)
