"""Slips of the fingers: an unknown long word that is one letter away from just one word that is known."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from premotor_planners.task.lexicon.vocabulary import singulars, vocabulary
from premotor_planners.task.phrasebook.aliases import Aliases
from premotor_planners.task.phrasebook.frames import frames
from premotor_planners.task.phrasebook.patterns import tree_words
from premotor_planners.task.phrasebook.sentence import Sentence
from premotor_planners.task.phrasebook.thesaurus import thesaurus
from premotor_planners.task.reading.slips import slipped

MIN_LETTERS = 4
MIN_PLAIN_LETTERS = 5
"""Shorter words are corrected only to words of a name."""


def corrected(sentence: Sentence, aliases: Aliases) -> Sentence:
    """The sentence with such words replaced; what is said word for word is cut from the original text all the same."""
    words = tuple(_right(word, sentence, index, aliases) for index, word in enumerate(sentence.words))
    return sentence if words == sentence.words else replace(sentence, words=words)


def _right(word: str, sentence: Sentence, index: int, aliases: Aliases) -> str:
    if len(word) < MIN_LETTERS or not word.isalpha() or _is_known(word, aliases):
        return word
    if sentence.word(index).capital:
        return word
    plain = _shelf().get(word[0], ()) if len(word) >= MIN_PLAIN_LETTERS else ()
    near = {other for other in (*plain, *aliases.words) if slipped(word, other) and not _is_form(word, other)}
    return near.pop() if len(near) == 1 else word


def _is_form(word: str, other: str) -> bool:
    """Singular and plural, or a word and its `-y`: no slip of the fingers."""
    return word in (other + "s", other + "y") or other in (word + "s", word + "y")


def _is_known(word: str, aliases: Aliases) -> bool:
    forms = (word, *singulars(word))
    return any(form in aliases.words or form in _known() for form in forms) or vocabulary().is_known(word)


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    """Every word of the phrasebook."""
    return tree_words() | thesaurus().words | frames().words


@lru_cache(maxsize=1)
def _shelf() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for word in sorted(_known()):
        if len(word) >= MIN_LETTERS:
            found.setdefault(word[0], []).append(word)
    return {letter: tuple(words) for letter, words in found.items()}
