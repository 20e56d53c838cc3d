"""Self-corrections: in `… on the rack, I mean on the shelf` the later name replaces the one before it of its kind."""

from __future__ import annotations

from collections.abc import Sequence

from premotor_planners.task.lexicon.vocabulary import vocabulary
from premotor_planners.task.lexicon.words import SENTENCE_ENDS, Text
from premotor_planners.task.reading.mentions import Mention

REACH = 6
"""Words after the marker within which the replacement must be named."""


def corrected(text: Text, mentions: Sequence[Mention]) -> tuple[frozenset[int], bool]:
    """Words to leave out (what was taken back, and the markers), and whether a correction could not be understood."""
    dropped: set[int] = set()
    for start, end, match in text.find(vocabulary().correction):
        keep_article = match[0].endswith(" the")
        after = next((m for m in mentions if m.start >= end - keep_article and m.phrase_start - end <= REACH), None)
        before = [m for m in mentions if m.end <= start and after is not None and m.kind == after.kind]
        if after is None or not before or start == 0:
            return frozenset(), True
        dropped |= set(range(start, end - keep_article)) | set(range(_chain_start(text, before[-1]), before[-1].end))
        dropped |= {i for i in range(before[-1].end, end) if text.words[i].norm in SENTENCE_ENDS | {","}}
    return frozenset(dropped), False


def _chain_start(text: Text, mention: Mention) -> int:
    """The mention with its preposition, when the replacement brings its own."""
    index = mention.phrase_start
    return index - 1 if index and text.words[index - 1].norm in ("on", "in", "to", "into", "onto", "at") else index
