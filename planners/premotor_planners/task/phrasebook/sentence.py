"""A task as words without punctuation, with what punctuation stood between them and where each word was."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_planners.task.lexicon.durations import find_durations
from premotor_planners.task.lexicon.words import MARKS, Text, Word, read_words

ENDS = frozenset(".!?;")
"""Marks that end a sentence."""


@dataclass(frozen=True)
class Sentence:
    """`gaps[i]` are the marks before word i; `durations` maps a first word to (word after the last, seconds)."""

    text: Text
    positions: tuple[int, ...]
    words: tuple[str, ...]
    gaps: tuple[str, ...]
    durations: dict[int, tuple[int, float]]

    @property
    def unmarked(self) -> bool:
        """Whether there is no punctuation within, as in a transcript of speech."""
        return not any(self.gaps[1:])

    def word(self, index: int) -> Word:
        """The word as it was read."""
        return self.text.words[self.positions[index]]

    def has(self, words: tuple[str, ...], index: int) -> bool:
        """Whether the words stand at `index`."""
        return self.words[index : index + len(words)] == words

    def slice(self, start: int, end: int) -> str:
        """The original text of words start to end (end not included)."""
        return self.text.raw[self.word(start).start : self.word(end - 1).end]

    def is_whole(self, start: int, end: int) -> bool:
        """Whether no punctuation stands between the words start to end."""
        return not any(self.gaps[start + 1 : end])

    def ends_before(self, index: int) -> bool:
        """Whether a sentence ends just before the word."""
        return index >= len(self.words) or bool(ENDS & set(self.gaps[index]))


def read_sentence(task: str) -> Sentence:
    """Split a task; never fails."""
    text = read_words(task)
    positions, gaps, gap = [], [], ""
    for index, word in enumerate(text.words):
        if word.norm in MARKS:
            gap += word.norm
        else:
            positions.append(index)
            gaps.append(gap)
            gap = ""
    words = tuple(text.words[index].norm for index in positions)
    return Sentence(text, tuple(positions), words, tuple(gaps), _durations(text, positions))


def _durations(text: Text, positions: list[int]) -> dict[int, tuple[int, float]]:
    number = {position: index for index, position in enumerate(positions)}
    found: dict[int, tuple[int, float]] = {}
    for duration in find_durations(text, frozenset()):
        if duration.start in number and duration.end - 1 in number:
            start, end = number[duration.start], number[duration.end - 1] + 1
            seconds = duration.seconds
            if seconds is None and [text.words[i].norm for i in range(duration.start, duration.end)] == ["a", "second"]:
                seconds = 1.0
            if seconds is not None:
                found[start] = (end, seconds)
    return found
