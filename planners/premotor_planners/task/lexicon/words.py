"""The words of an instruction: normalised for look-up, each with its span in the text as it was written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from premotor_planners.task.lexicon.vocabulary import Vocabulary, vocabulary

_TOKEN = re.compile(r"\d+(?:[.:]\d+)+|[^\W_]+(?:['’][^\W_]+)*['’]?|[.,;:!?\"()—–&]|\S")
_SHORT_FORMS = {"'ll": "will", "'ve": "have", "'re": "are", "n't": "not", "'d": "would", "'m": "am"}
_TITLES = frozenset({"dr", "mr", "mrs", "ms", "prof", "st"})
SENTENCE_ENDS = frozenset(".!?;")
MARKS = frozenset('.,;:!?"()—–&-')


@dataclass(frozen=True)
class Word:
    """One normalised word or mark, and its span in the original text (words of a contraction share one)."""

    norm: str
    start: int
    end: int
    capital: bool = False
    possessive: bool = False


@dataclass(frozen=True)
class Text:
    """An instruction as words. `joined` has one space around every word, so that patterns see whole words."""

    raw: str
    words: tuple[Word, ...]

    @cached_property
    def joined(self) -> str:
        """All normalised words between single spaces."""
        return f" {' '.join(word.norm for word in self.words)} "

    @cached_property
    def _offsets(self) -> dict[int, int]:
        offsets, position = {}, 1
        for index, word in enumerate(self.words):
            offsets[position] = index
            position += len(word.norm) + 1
        offsets[position] = len(self.words)
        return offsets

    def find(self, pattern: re.Pattern[str]) -> Iterator[tuple[int, int, re.Match[str]]]:
        """Matches in `joined` that begin and end at word borders, as (first word, word after the last, match)."""
        for match in pattern.finditer(self.joined):
            start, end = self._offsets.get(match.start()), self._offsets.get(match.end() + 1)
            if start is not None and end is not None and end > start:
                yield start, end, match

    def slice(self, start: int, end: int) -> str:
        """The original text of words start to end (end not included)."""
        return self.raw[self.words[start].start : self.words[end - 1].end] if end > start else ""


def read_words(raw: str) -> Text:
    """Split into words and marks, lower-cased, accents kept, contractions written out."""
    known = vocabulary()
    words: list[Word] = []
    for match in _TOKEN.finditer(raw):
        words += _expand(match, known, words)
    return Text(raw, tuple(_settle_possessives(words)))


def name_words(name: str) -> tuple[str, ...]:
    """A catalogue name as normalised words, for comparison with those of an instruction."""
    return tuple(word.norm for word in read_words(name).words if word.norm not in MARKS)


def _expand(match: re.Match[str], known: Vocabulary, before: list[Word]) -> list[Word]:
    written, (start, end) = match[0], match.span()
    if written == "-" and before and before[-1].end == start and match.string[end : end + 1].isalnum():
        return []
    norm = unicodedata.normalize("NFKC", written).casefold().replace("’", "'")
    if norm == "&":
        norm = "and"
    if norm == "." and before and before[-1].norm in _TITLES:
        return []
    sentence_start = not before or before[-1].norm in SENTENCE_ENDS
    capital = written[:1].isupper() and not sentence_start
    parts = known.contractions.get(norm) or _contracted(norm)
    if parts:
        return [Word(part, start, end, capital) for part in parts]
    if norm.endswith("'s"):
        return [Word(norm[:-2], start, end - 2, capital, possessive=True)]
    if norm.endswith("'"):
        return [Word(norm[:-1], start, end - 1, capital, possessive=norm[:-1].endswith("s"))]
    unit = re.fullmatch(r"(\d+)(s|sec|secs|m|min|mins|h|hr|hrs)", norm)
    if unit:
        border = start + len(unit[1])
        return [Word(unit[1], start, border), Word(unit[2], border, end)]
    return [Word(norm, start, end, capital)]


def _contracted(norm: str) -> tuple[str, ...]:
    """`that'll`, `who've`, `mightn't`: any word with a verb's short form; the listed ones win."""
    for short, long in _SHORT_FORMS.items():
        if norm.endswith(short) and len(norm) > len(short):
            return (norm.removesuffix(short), long)
    return ()


def _settle_possessives(words: list[Word]) -> Iterator[Word]:
    """`Ben's hungry` is `Ben is hungry`; `Ben's apple` stays a possessive."""
    known = vocabulary()
    for index, word in enumerate(words):
        after = words[index + 1].norm if index + 1 < len(words) else ""
        if word.possessive and (after in known.states or _is_participle(after, known)):
            yield Word(word.norm, word.start, word.end, word.capital)
            yield Word("is", word.end, word.end)
        else:
            yield word


def _is_participle(word: str, known: Vocabulary) -> bool:
    """`the vial's weighed`, `Ben's waiting`; `Ben's used mug` is a mug."""
    past = word.endswith("ed") and len(word) > 4 and not known.is_one_of(word, "adjectives", "colors")
    return past or (word.endswith("ing") and len(word) > 5)
