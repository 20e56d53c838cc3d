"""A template as normalised words and slots."""

from __future__ import annotations

import re
from functools import cache

from premotor_planners.task.lexicon.vocabulary import vocabulary
from premotor_planners.task.lexicon.words import MARKS, read_words

_SLOT = "slotmark"
_PLAIN = re.compile(r"[a-z ]*")
"""Letters only: nothing to normalise but contractions."""


@cache
def template_words(text: str) -> tuple[str, ...]:
    """A template as normalised words; a slot is written `{name}`, or `{name}'s` where it is a possessive."""
    if _PLAIN.fullmatch(text):
        words = text.split()
        if not any(word in vocabulary().contractions for word in words):
            return tuple(words)
    read = read_words(re.sub(r"\{(\w+)\}", lambda m: f"{_SLOT}{m[1].replace('_', '')}", text))
    found = []
    for word in read.words:
        if word.norm in MARKS:
            continue
        if word.norm.startswith(_SLOT):
            found.append("{" + word.norm.removeprefix(_SLOT) + "}" + ("'s" if word.possessive else ""))
        else:
            found.append(word.norm)
    return tuple(found)
