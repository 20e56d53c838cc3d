"""The sentence templates of the corpus and the phrasings of the phrasebook as one graph of words and slots."""

from __future__ import annotations

from functools import lru_cache

from premotor_planners.corpus.templates import load_templates
from premotor_planners.task.phrasebook.graph import Graph, Leaf, Node
from premotor_planners.task.phrasebook.notation import Either, Piece, Sequence, first_words, load_phrasings, words_of
from premotor_planners.task.phrasebook.phrase_words import template_words

REFUSALS = ("unsafe", "unsupported", "unclear")
INTENTS = (
    "move", "swap_order", "contrast", "give", "give_me", "contrast_give_me", "pick", "move_all", "fetch_and_come",
    "put_down", "give_held", "give_held_me", "go", "go_me", "go_person", "go_wait", "inspect", "dock", "wait",
    "say", "tell_to", "say_here", *REFUSALS,
)  # fmt: skip
PICKUPS = ("get {obj}", "take {obj}", "grab {obj}", "pick up {obj}", "pick {obj} up", "collect {obj}", "go get {obj}")
"""Taking something for the next clause, which says what becomes of it."""

OPEN_SLOTS = frozenset({"text", "order"})
"""Slots that hold any words."""

_LOOSE = {
    "on": ("on", "at", "in"), "at": ("at", "on", "in"), "in": ("in", "on", "at"), "onto": ("onto", "into"),
    "into": ("into", "onto"), "off": ("off", "from", "out of"),
}  # fmt: skip
_SPOTS = frozenset({"{dst}", "{src}"})


@lru_cache(maxsize=1)
def phrase_tree() -> Node[Leaf]:
    """All templates and phrasings of all intents, compiled once: the node before the first word."""
    return _graph().root()


@lru_cache(maxsize=1)
def _graph() -> Graph[Leaf]:
    graph: Graph[Leaf] = Graph()
    for intent in INTENTS:
        for template in load_templates(intent, held_out=False):
            _add(graph, template_words(template.text), intent, template.imperative)
        for phrasing in load_phrasings(intent):
            _add(graph, phrasing.pieces, intent, phrasing.imperative)
    for text in PICKUPS:
        _add(graph, template_words(text), "pickup", imperative=True)
    return graph


@lru_cache(maxsize=1)
def tree_words() -> frozenset[str]:
    """Every literal word of every template."""
    return _graph().words()


@lru_cache(maxsize=1)
def command_words() -> frozenset[str]:
    """The first words of all imperative templates: verbs."""
    known = [template for intent in INTENTS for template in load_templates(intent, held_out=False)]
    texts = (*(template.text for template in known if template.imperative), *PICKUPS)
    written = [load_phrasings(intent) for intent in INTENTS]
    firsts = {word for some in written for phrasing in some if phrasing.imperative for word in first_words(phrasing)}
    return frozenset(words[0] for words in map(template_words, texts) if words) | firsts


def _add(graph: Graph[Leaf], pieces: Sequence, intent: str, imperative: bool) -> None:
    if pieces:
        words = words_of(pieces)
        graph.add(_loosened(pieces), Leaf(intent, imperative, "me" in words, "both" in words))


def _loosened(pieces: Sequence) -> Sequence:
    """With other prepositions before its places: in a room, on a table, at either."""
    found: list[Piece] = []
    for piece, after in zip(pieces, (*pieces[1:], ""), strict=True):
        if isinstance(piece, Either):
            if after not in _SPOTS and not _SPOTS & piece.words:
                found.append(piece)
                continue
            found.append(Either(tuple(_loosened((*option, after))[: len(option)] for option in piece.options)))
        elif piece in _LOOSE and after in _SPOTS:
            found.append(Either(tuple(tuple(word.split(" ")) for word in _LOOSE[piece])))
        else:
            found.append(piece)
    return tuple(found)
