"""The notation of the phrasings: `(a|b)` is either, `[c]` may be left out, `<name>` is any word of a class.

Words and slots are as in the corpus templates; a leading `~` marks what is not an imperative clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TypeAlias

from premotor_planners.task.phrasebook.phrase_words import template_words

FOLDER = Path(__file__).parent / "phrasings"
CLASSES = "_words"
_TOKEN = re.compile(r"[()|\[\]]|<\w+>|\{\w+\}(?:'s)?|[^()|\[\]<{]+")


@dataclass(frozen=True)
class Either:
    """One of several sequences; the empty one stands for leaving it out."""

    options: tuple[Sequence, ...]

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word and slot in it."""
        return frozenset(word for option in self.options for word in words_of(option))


Piece: TypeAlias = "str | Either"
Sequence: TypeAlias = "tuple[Piece, ...]"


@dataclass(frozen=True)
class Phrasing:
    """One line: what it may look like, and whether it begins with a base-form verb."""

    pieces: Sequence
    imperative: bool


@cache
def load_phrasings(name: str) -> tuple[Phrasing, ...]:
    """The phrasings of an intent (a file name without its ending); none where there is no file."""
    path = FOLDER / f"{name}.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    kept = dict.fromkeys(line.strip() for line in lines if line.strip() and not line.startswith("#"))
    return tuple(Phrasing(parse_line(line.removeprefix("~")), not line.startswith("~")) for line in kept)


def parse_line(line: str) -> Sequence:
    """The pieces of one line. Raises ValueError for brackets that do not match or an unknown class."""
    options, rest = _options(_TOKEN.findall(line), _classes())
    if rest:
        raise ValueError(f"`{line}` has a bracket too many; write (a|b) or [a]")
    return options[0] if len(options) == 1 else (Either(options),)


def words_of(pieces: Sequence) -> frozenset[str]:
    """Every word and slot in the pieces."""
    alone = frozenset(piece for piece in pieces if isinstance(piece, str))
    return alone.union(*(piece.words for piece in pieces if isinstance(piece, Either)))


def first_words(phrasing: Phrasing) -> frozenset[str]:
    """The words that it may begin with."""
    return frozenset(_firsts(phrasing.pieces))


def _firsts(pieces: Sequence) -> Iterator[str]:
    for piece in pieces:
        if isinstance(piece, str):
            yield piece
            return
        for option in piece.options:
            yield from _firsts(option)
        if all(piece.options):
            return


@lru_cache(maxsize=1)
def _classes() -> dict[str, Either]:
    found: dict[str, Either] = {}
    for line in (FOLDER / f"{CLASSES}.txt").read_text(encoding="utf-8").splitlines():
        name, is_class, words = line.partition(" = ")
        if is_class and not line.startswith("#"):
            found[name] = Either(tuple(_literal(word) for word in words.split("|")))
    return found


def _options(parts: list[str], classes: Mapping[str, Either]) -> tuple[tuple[Sequence, ...], list[str]]:
    """Alternatives up to a closing bracket, and the parts from there on."""
    options: list[Sequence] = []
    pieces: list[Piece] = []
    while parts and parts[0] not in ")]":
        part, parts = parts[0], parts[1:]
        if part == "|":
            options.append(tuple(pieces))
            pieces = []
        elif part in "([":
            inner, parts = _options(parts, classes)
            if parts[:1] != [")" if part == "(" else "]"]:
                raise ValueError(f"a `{part}` is not closed")
            parts = parts[1:]
            pieces.append(Either((*inner, ())) if part == "[" else Either(inner))
        elif part.startswith("<"):
            if part[1:-1] not in classes:
                raise ValueError(f"{part} is no class; the classes are {', '.join(classes)}")
            pieces.append(classes[part[1:-1]])
        else:
            pieces += _slot(part) if part.startswith("{") else _literal(part)
    return (*options, tuple(pieces)), parts


def _slot(part: str) -> Sequence:
    return (part.replace("_", ""),)


def _literal(text: str) -> Sequence:
    return template_words(text)
