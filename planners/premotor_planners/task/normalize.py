"""Limits on the text of a task, before anything reads it."""

from __future__ import annotations

import unicodedata

from premotor_planners.task.outcome import Refusal, unclear

MAX_CHARS = 1000
"""Longer texts are not tasks; the prompt, too, must stay bounded."""

_FORBIDDEN = frozenset({"Cc", "Cf", "Cs", "Co"})
_JOINERS = frozenset("\u200d\ufe0f")


def normalize(text: str) -> str | Refusal:
    """The text trimmed and with single spaces, or why it cannot be a task: empty, too long, control characters."""
    if len(text) > MAX_CHARS:
        return unclear(f"The task has {len(text)} characters; say it in at most {MAX_CHARS}.")
    trimmed = unicodedata.normalize("NFC", text.strip())
    if not trimmed:
        return unclear("The task is empty; say what to do, for example: take the cup to the kitchen.")
    if any(unicodedata.category(c) in _FORBIDDEN and c not in _JOINERS for c in trimmed):
        return unclear("The task holds control characters; write it as one line of plain text.")
    if not any(c.isalpha() for c in trimmed):
        return unclear("The task holds no words; say what to do in a sentence.")
    return " ".join(trimmed.split())
