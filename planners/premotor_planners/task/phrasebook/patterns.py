"""The sentence templates of the corpus as one tree of words: what follows what, and where slots stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import product

from premotor_planners.corpus.templates import load_templates
from premotor_planners.task.words import MARKS, read_words

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

_SLOT = "slotmark"
_LOOSE = {
    "on": ("on", "at", "in"), "at": ("at", "on", "in"), "in": ("in", "on", "at"), "onto": ("onto", "into"),
    "into": ("into", "onto"), "off": ("off", "from", "out of"),
}  # fmt: skip


@dataclass(frozen=True)
class Leaf:
    """A template ends here."""

    intent: str
    imperative: bool
    first_person: bool
    both: bool = False


@dataclass
class Node:
    """A place in the tree: the words and slots that may follow, and the templates that end."""

    words: dict[str, Node] = field(default_factory=dict)
    slots: dict[str, Node] = field(default_factory=dict)
    leaves: list[Leaf] = field(default_factory=list)


@cache
def template_words(text: str) -> tuple[str, ...]:
    """A template as normalised words; a slot is written `{name}`, or `{name}'s` where it is a possessive."""
    read = read_words(re.sub(r"\{(\w+)\}", lambda m: f"{_SLOT}{m[1].replace('_', '')}", text))
    words = []
    for word in read.words:
        if word.norm in MARKS:
            continue
        if word.norm.startswith(_SLOT):
            words.append("{" + word.norm.removeprefix(_SLOT) + "}" + ("'s" if word.possessive else ""))
        else:
            words.append(word.norm)
    return tuple(words)


@lru_cache(maxsize=1)
def phrase_tree() -> Node:
    """All templates of all intents, compiled once."""
    root = Node()
    for intent in INTENTS:
        for template in load_templates(intent, held_out=False):
            _insert(root, template.text, intent, template.imperative)
    for text in PICKUPS:
        _insert(root, text, "pickup", imperative=True)
    return root


@lru_cache(maxsize=1)
def tree_words() -> frozenset[str]:
    """Every literal word of every template."""
    found: set[str] = set()
    stack = [phrase_tree()]
    while stack:
        node = stack.pop()
        found |= node.words.keys()
        stack += [*node.words.values(), *node.slots.values()]
    return frozenset(found)


@lru_cache(maxsize=1)
def command_words() -> frozenset[str]:
    """The first words of all imperative templates: verbs."""
    known = [template for intent in INTENTS for template in load_templates(intent, held_out=False)]
    texts = (*(template.text for template in known if template.imperative), *PICKUPS)
    return frozenset(words[0] for words in map(template_words, texts) if words)


def _insert(root: Node, text: str, intent: str, imperative: bool) -> None:
    words = template_words(text)
    if not words:
        return
    leaf = Leaf(intent, imperative, "me" in words, "both" in words)
    for variant in _variants(words):
        node = root
        for word in variant:
            branches = node.slots if word.startswith("{") else node.words
            node = branches.setdefault(word, Node())
        if leaf not in node.leaves:
            node.leaves.append(leaf)


def _variants(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The template with other prepositions before its places: in a room, on a table, at either."""
    choices = []
    for word, after in zip(words, (*words[1:], ""), strict=True):
        choices.append(_LOOSE.get(word, (word,)) if after in ("{dst}", "{src}") else (word,))
    for chosen in product(*choices):
        yield tuple(part for word in chosen for part in word.split(" "))
