"""A clause: some words of the instruction, how it is joined on, and what it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from premotor_planners.task.lexicon.durations import Duration
from premotor_planners.task.lexicon.words import Text
from premotor_planners.task.reading.mentions import Mention
from premotor_planners.task.reading.messages import Message

ClauseKind = Literal["task", "fragment", "background", "condition", "negative", "question", "filler"]
ASKING: tuple[ClauseKind, ...] = ("task", "fragment")
"""Kinds that want something done; a fragment has no verb (`then the study`, `red mug to Anna`)."""


@dataclass(frozen=True)
class Verb:
    """A verb at word `index` with what it may mean here (particles found nearby counted in)."""

    index: int
    base: str
    classes: frozenset[str]
    phrase: str
    particle_words: frozenset[int] = frozenset()


@dataclass
class Clause:
    """Words of one clause (indexes into the text, taken words left out).

    `connective` opened it (empty: none); `requested` when a polite opener stands before it.
    """

    indexes: list[int]
    connective: str = ""
    requested: bool = False
    sentence: int = 0
    kind: ClauseKind = "filler"
    verbs: list[Verb] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)

    @property
    def asks(self) -> bool:
        """Whether it wants something done."""
        return self.kind in ASKING


@dataclass(frozen=True)
class Marked:
    """The text with everything that was found in it. `taken` words (politeness, messages) belong to no clause."""

    text: Text
    mentions: Sequence[Mention]
    messages: Sequence[Message]
    durations: Sequence[Duration]
    polite: frozenset[int]
    taken: frozenset[int]

    def word(self, index: int) -> str:
        """The normalised word, empty beyond the ends."""
        return self.text.words[index].norm if 0 <= index < len(self.text.words) else ""

    def possessive(self, index: int) -> bool:
        """Whether the word is an owner (`Ben's`)."""
        return 0 <= index < len(self.text.words) and self.text.words[index].possessive

    def mention_at(self, index: int) -> Mention | None:
        """The mention whose words cover the index."""
        return next((m for m in self.mentions if m.start <= index < m.end), None)

    def message_at(self, index: int) -> Message | None:
        """The message that starts at the index."""
        return next((m for m in self.messages if m.start == index), None)

    def joined(self, clause: Clause) -> str:
        """The clause's words between single spaces, for patterns."""
        return f" {' '.join(self.word(i) for i in clause.indexes)} "
