"""The names and pronouns of one clause in order, each with the role its preposition gives it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, cast

from premotor_planners.task.lexicon.syntax import is_in, syntax
from premotor_planners.task.reading.clauses import Clause, Marked
from premotor_planners.task.reading.mentions import Mention

Role = Literal["", "source", "to", "at", "for", "with", "via", "of", "about", "beside"]
ItemKind = Literal["object", "place", "room", "person", "it", "them", "here", "there"]


@dataclass(frozen=True)
class Item:
    """One reference of a clause; `mention` is None for a pronoun, whose word is `word`.

    `attached`: it only says where the item beside it is. `negated`: it is excluded.
    """

    kind: ItemKind
    role: Role
    index: int
    end: int
    word: str
    mention: Mention | None = None
    negated: bool = False
    attached: bool = False

    @property
    def start(self) -> int:
        """Where its phrase begins, determiner and adjectives included."""
        return self.mention.phrase_start if self.mention else self.index

    @property
    def is_target(self) -> bool:
        """Whether something may go there: not excluded, and not only to say where something is."""
        return not self.negated and not self.attached and self.role not in ("source", "of")


def clause_items(clause: Clause, marked: Marked) -> list[Item]:
    """Items in order of the text; an owner (`Ben's bottle`) is none."""
    found = [*_mentions(clause, marked), *_pronouns(clause, marked)]
    items = sorted(found, key=lambda item: item.index)
    return [_attach(number, items, marked) for number in range(len(items))]


def gap(before: Item, item: Item, marked: Marked) -> bool:
    """Whether more than small words stands between two items (then the second is no attribute of the first)."""
    between = (marked.word(i) for i in range(before.end, item.start) if i not in marked.taken)
    return any(word in (",", "and", "back", "down", "away", "over") for word in between)


def _mentions(clause: Clause, marked: Marked) -> Iterator[Item]:
    heads = {verb.index for verb in clause.verbs}
    for mention in marked.mentions:
        if mention.start in clause.indexes and mention.start not in heads and not marked.possessive(mention.end - 1):
            kind = cast(ItemKind, mention.kind)
            yield _item(kind, mention.phrase_start, mention.start, mention.end, clause, marked, mention)


def _pronouns(clause: Clause, marked: Marked) -> Iterator[Item]:
    for index in clause.indexes:
        kind = _pronoun(index, marked)
        if kind:
            yield _item(kind, index, index, index + 1, clause, marked, None)


def _item(
    kind: ItemKind, start: int, index: int, end: int, clause: Clause, marked: Marked, mention: Mention | None
) -> Item:
    role, chain_start = _role(start, clause, marked)
    excluded = any(marked.word(i) == "no" for i in range(start, index))
    negated = excluded or _negated(chain_start, clause, marked) or _negated(start, clause, marked)
    return Item(kind, role, index, end, marked.word(index), mention, negated)


def _pronoun(index: int, marked: Marked) -> ItemKind | None:
    word, after = marked.word(index), marked.word(index + 1)
    if any(m.phrase_start <= index < m.end for m in marked.mentions):
        return None
    simple: dict[str, ItemKind] = {
        **dict.fromkeys(("me", "us", "myself"), "person"),
        **dict.fromkeys(("him", "her", "he", "she"), "them"),
        **dict.fromkeys(("it", "itself", "them", "these", "those", "ones"), "it"),
        "here": "here",
    }
    if word in simple:
        return simple[word]
    if word in ("this", "that") or (word == "one" and marked.word(index - 1) in ("this", "that")):
        return "it" if is_in(after, "after_pronoun") or index + 1 in marked.taken else None
    return "there" if word == "there" and after not in ("is", "are", "was", "were") else None


def _role(start: int, clause: Clause, marked: Marked) -> tuple[Role, int]:
    """The role from the prepositions before word `start`, and where they begin."""
    particles = {i for verb in clause.verbs for i in verb.particle_words}
    chain: list[str] = []
    index = start - 1
    while index in clause.indexes and index not in particles and not marked.mention_at(index):
        if not is_in(marked.word(index), "toward", "away", "at", "beside", "via", "chain"):
            break
        chain.append(marked.word(index))
        index -= 1
    return _role_of(chain), index + 1


def _role_of(chain: list[str]) -> Role:
    """Nearest word first. `next to` and `close to` are beside; `away from`, `out of` and `off` are sources."""
    for word, before in zip(chain, [*chain, ""][1:], strict=True):
        if is_in(word, "toward"):
            return "beside" if before in ("next", "close", "near") else "to"
        if is_in(word, "away") or (word == "of" and before == "out"):
            return "source"
        if word in ("for", "with", "about"):
            return word  # type: ignore[return-value]
        for group in ("beside", "at", "via"):
            if is_in(word, group):
                return group
        if word == "of" and not is_in(before, "parts_of"):
            return "of"
    return ""


def _negated(start: int, clause: Clause, marked: Marked) -> bool:
    """`not the …`, `instead of …`, `rather than …`, `except (for) …`, `but …` after all or anything."""
    before = [marked.word(i) for i in clause.indexes if i < start]
    if not before:
        return False
    if is_in(before[-1], "excluding") or " ".join(before[-3:]).endswith(syntax().exclusions):
        return True
    return before[-1] == "but" and any(is_in(word, "choosing") for word in before)


def _attach(number: int, items: list[Item], marked: Marked) -> Item:
    """Mark an item that only locates its neighbour (`the mug that I left on the desk`, `the kitchen sponge`)."""
    item = items[number]
    if (
        number
        and item.role in ("at", "source", "of", "beside")
        and items[number - 1].kind in ("object", "place", "person")
    ):
        between = [marked.word(i) for i in range(items[number - 1].end, item.start)]
        words = [word for word in between if not is_in(word, "small")]
        locating = [word for word in words if is_in(word, "locating")]
        if locating not in ([], ["is"], ["are"]) and all(is_in(word, "relative") for word in words):
            return replace(item, attached=True)
    after = items[number + 1] if number + 1 < len(items) else None
    compound = after is not None and after.mention is not None and item.end == after.index
    return replace(item, attached=True) if compound and item.kind in ("room", "place") else item
