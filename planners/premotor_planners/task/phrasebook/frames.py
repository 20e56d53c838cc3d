"""What stands around and between clauses: politeness, and the ways to join two or three of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from premotor_planners.corpus.templates import load_templates
from premotor_planners.task.phrasebook.patterns import template_words

POLITE_ENDS = frozenset({("please",), ("thanks",), ("thank", "you"), ("thank", "you", "very", "much")})
"""Politeness that may follow a message without belonging to it."""

_CLEAR = re.compile(r"then|after|once|next|finally|second|third|done")


@dataclass(frozen=True)
class Link:
    """Words between or around clauses. `stop`: a sentence ends there; `clear`: it cannot be part of a message."""

    words: tuple[str, ...]
    stop: bool = False
    clear: bool = False


@dataclass(frozen=True)
class Frame:
    """A join template: its clauses in the order said (`slots`), and the links before, between and after them."""

    slots: tuple[str, ...]
    links: tuple[Link, ...]

    @property
    def is_chain(self) -> bool:
        """Whether it is clauses in order with words between them and nothing around."""
        around = self.links[0].words or self.links[-1].words
        return not around and list(self.slots) == sorted(self.slots)


@dataclass(frozen=True)
class Frames:
    """`before` and `after` are polite words around a clause; `links` join a chain; `frames` are all other joins."""

    before: frozenset[tuple[str, ...]]
    after: frozenset[tuple[str, ...]]
    links: tuple[Link, ...]
    frames: tuple[Frame, ...]
    link_starts: frozenset[str]


@lru_cache(maxsize=1)
def frames() -> Frames:
    """All wraps and joins, compiled once."""
    joins = [_frame(t.text) for intent in ("join", "join3") for t in load_templates(intent, held_out=False)]
    wraps = [t.text.split("{a}") for t in load_templates("wrap", held_out=False)]
    links = tuple(dict.fromkeys(link for frame in joins if frame.is_chain for link in frame.links[1:-1]))
    everything = [link for frame in joins for link in frame.links[1:]]
    return Frames(
        before=frozenset(template_words(w[0]) for w in wraps) - {()},
        after=frozenset(template_words(w[1]) for w in wraps) - {()},
        links=links,
        frames=tuple(frame for frame in joins if not frame.is_chain),
        link_starts=frozenset(link.words[0] for link in everything if link.words),
    )


def _frame(text: str) -> Frame:
    pieces = re.split(r"\{(\w)\}", text)
    return Frame(tuple(pieces[1::2]), tuple(map(_link, pieces[::2])))


def _link(text: str) -> Link:
    return Link(template_words(text), stop="." in text or ";" in text, clear=bool(_CLEAR.search(text)))
