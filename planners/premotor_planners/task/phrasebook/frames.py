"""What stands around and between clauses: politeness, and the ways to join two or three of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from premotor_planners.corpus.templates import load_templates
from premotor_planners.task.phrasebook.graph import Graph
from premotor_planners.task.phrasebook.notation import Piece, Sequence, load_phrasings
from premotor_planners.task.phrasebook.phrase_words import template_words

POLITE_ENDS = frozenset({("please",), ("thanks",), ("thank", "you"), ("thank", "you", "very", "much")})
"""Politeness that may follow a message without belonging to it."""

_CLEAR = re.compile(r"then|after|once|next|finally|second|third|done")


@dataclass(frozen=True)
class Link:
    """Words between or around clauses. `stop`: a sentence ends there; `clear`: it cannot be part of a message."""

    words: tuple[str, ...]
    stop: bool = False
    clear: bool = False


class Phrases:
    """Many phrases, looked up by where they stand in a sentence."""

    def __init__(self, phrases: Iterable[Sequence]) -> None:
        self.graph: Graph[bool] = Graph()
        for phrase in phrases:
            self.graph.add(phrase, True)

    def ends(self, words: tuple[str, ...], start: int) -> list[int]:
        """The word after the last, for every phrase that stands at `start`; an empty phrase stands nowhere."""
        return [end for end, _ in self.graph.root().walk(words, start) if end > start]


class Links:
    """The ways to join at one spot, each with whether it ends a sentence; the empty one is mere punctuation."""

    def __init__(self, links: Iterable[tuple[Sequence, bool]]) -> None:
        self.kept = tuple(dict.fromkeys(links))
        self.graph: Graph[bool] = Graph()
        for pieces, stop in self.kept:
            self.graph.add(pieces, stop)

    def at(self, words: tuple[str, ...], start: int) -> Iterator[Link]:
        """The links whose words stand at `start`, the empty one included."""
        for end, stop in self.graph.root().walk(words, start):
            found = words[start:end]
            yield Link(found, stop, clear=bool(_CLEAR.search(" ".join(found))))

    @property
    def is_nothing(self) -> bool:
        """Whether nothing may stand there."""
        return all(not pieces for pieces, _ in self.kept)


@dataclass(frozen=True)
class Frame:
    """A join template: its clauses in the order said (`slots`), and the links before, between and after them."""

    slots: tuple[str, ...]
    links: tuple[Links, ...]

    @property
    def is_chain(self) -> bool:
        """Whether it is clauses in order with words between them and nothing around."""
        return self.links[0].is_nothing and self.links[-1].is_nothing and list(self.slots) == sorted(self.slots)


@dataclass(frozen=True)
class Frames:
    """`before` and `after` are polite words around a clause; `links` join a chain; `frames` are all other joins."""

    before: Phrases
    after: Phrases
    links: Links
    frames: tuple[Frame, ...]
    link_starts: frozenset[str]
    words: frozenset[str]


@lru_cache(maxsize=1)
def frames() -> Frames:
    """All wraps and joins, compiled once."""
    joins = [*_templates(), *(_phrased(p.pieces) for name in ("join", "join3") for p in load_phrasings(name))]
    wraps = [tuple(map(template_words, t.text.split("{a}"))) for t in load_templates("wrap", held_out=False)]
    phrased = [_parted(phrasing.pieces)[1] for phrasing in load_phrasings("wrap")]
    before = Phrases([*(wrap[0] for wrap in wraps), *(gaps[0] for gaps in phrased)])
    after = Phrases([*(wrap[1] for wrap in wraps), *(gaps[1] for gaps in phrased)])
    chains = [links for frame in joins if frame.is_chain for links in frame.links[1:-1]]
    everything = [links.graph for frame in joins for links in frame.links]
    return Frames(
        before=before,
        after=after,
        links=Links(link for links in chains for link in links.kept),
        frames=tuple(frame for frame in joins if not frame.is_chain),
        link_starts=frozenset(
            word for frame in joins for links in frame.links[1:] for word in links.graph.root().words
        ),
        words=frozenset(word for graph in (*everything, before.graph, after.graph) for word in graph.words()),
    )


def _templates() -> Iterator[Frame]:
    for intent in ("join", "join3"):
        for template in load_templates(intent, held_out=False):
            pieces = re.split(r"\{(\w)\}", template.text)
            yield Frame(tuple(pieces[1::2]), tuple(Links(((template_words(t), _stops(t)),)) for t in pieces[::2]))


def _stops(text: str) -> bool:
    return "." in text or ";" in text


def _phrased(pieces: Sequence) -> Frame:
    slots, gaps = _parted(pieces)
    return Frame(slots, tuple(Links(((gap, False),)) for gap in gaps))


def _parted(pieces: Sequence) -> tuple[tuple[str, ...], list[Sequence]]:
    """The slots of a line, and the pieces before, between and after them."""
    slots: list[str] = []
    gaps: list[list[Piece]] = [[]]
    for piece in pieces:
        if isinstance(piece, str) and piece.startswith("{"):
            slots.append(piece.strip("{}"))
            gaps.append([])
        else:
            gaps[-1].append(piece)
    return tuple(slots), [tuple(gap) for gap in gaps]
