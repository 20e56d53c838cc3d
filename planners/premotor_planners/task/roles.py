"""The names and pronouns of one clause in order, each with the role its preposition gives it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from premotor_planners.task.clauses import Clause, Marked
from premotor_planners.task.mentions import Mention

Role = Literal["", "source", "to", "at", "for", "with", "via", "of", "about", "beside"]
ItemKind = Literal["object", "place", "room", "person", "it", "them", "here", "there"]

_TO = frozenset({"to", "into", "onto", "towards", "toward", "unto"})
_FROM = frozenset({"from", "off", "out"})
_AT = frozenset(
    {
        "in",
        "on",
        "at",
        "inside",
        "upon",
        "by",
        "under",
        "within",
        "atop",
        "underneath",
        "below",
        "above",
        "over",
        "behind",
        "between",
        "among",
        "against",
        "around",
    }
)
_BESIDE = frozenset({"beside", "near", "alongside", "besides", "next", "close"})
_VIA = frozenset({"via", "through", "across", "along", "past"})
_CHAIN = _TO | _FROM | _AT | _BESIDE | _VIA | frozenset(
    {"for", "with", "of", "away", "back", "up", "down", "top", "the", "middle", "center", "centre", "edge", "side", "front", "surface", "right",
     "somewhere", "straight", "directly", "just", "anywhere", "end", "corner", "spot", "place", "about", "outside", "as", "far", "all", "way", "safely", "gently", "carefully", "nicely"}
)  # fmt: skip
_RELATIVE = frozenset(
    {"that", "which", "is", "are", "was", "were", "i", "we", "you", "he", "she", "left", "put", "forgot", "had", "have", "has", "lying", "sitting", "standing", "resting", "kept",
     "stored", "located", "found", "placed", "just", "still", "currently", "should", "be", "can", "find", "will", "lives", "usually", "stands", "sits", "lies", "there", "over", "right",
     "in", "on", "at", "by", "near", "inside", "next", "to", "from", "beside", "of", "now", "already", "always", "dropped", "saw", "also", "apparently", "somebody", "someone", "parked", "waiting", "see", "under", "behind", "one", "ones"}
)  # fmt: skip


@dataclass(frozen=True)
class Item:
    """One reference of a clause; `mention` is None for a pronoun, whose word is `word`."""

    kind: ItemKind
    role: Role
    index: int
    end: int
    word: str
    mention: Mention | None = None
    negated: bool = False
    attached: bool = False


def clause_items(clause: Clause, marked: Marked) -> list[Item]:
    """Items in order of the text; an owner (`Ben's bottle`) is none."""
    particles = frozenset(i for verb in clause.verbs for i in verb.particle_words)
    heads = frozenset(verb.index for verb in clause.verbs)
    items = sorted(
        [*_mentions(clause, marked, particles, heads), *_pronouns(clause, marked, particles)], key=lambda i: i.index
    )
    return [_attach(number, items, marked) for number in range(len(items))]


def _mentions(clause: Clause, marked: Marked, particles: frozenset[int], heads: frozenset[int]) -> Iterator[Item]:
    words = set(clause.indexes)
    for mention in marked.mentions:
        owner = marked.text.words[mention.end - 1].possessive
        if mention.start not in words or owner or mention.start in heads:
            continue
        role, at = _role(mention.phrase_start, clause, marked, particles)
        kind: ItemKind = mention.kind  # type: ignore[assignment]
        negated = _negated(at, clause, marked) or _negated(mention.phrase_start, clause, marked)
        yield Item(kind, role, mention.start, mention.end, marked.word(mention.start), mention, negated)


def _pronouns(clause: Clause, marked: Marked, particles: frozenset[int]) -> Iterator[Item]:
    for index in clause.indexes:
        kind = _pronoun(index, marked)
        if kind:
            role, at = _role(index, clause, marked, particles)
            yield Item(
                kind,
                role,
                index,
                index + 1,
                marked.word(index),
                negated=_negated(at, clause, marked) or _negated(index, clause, marked),
            )


def _pronoun(index: int, marked: Marked) -> ItemKind | None:
    word, after = marked.word(index), marked.word(index + 1)
    if any(m.phrase_start <= index < m.end for m in marked.mentions):
        return None
    if word in ("me", "us", "myself"):
        return "person"
    if word in ("him", "her", "he", "she"):
        return "them"
    if word in ("it", "itself", "them", "these", "those", "ones"):
        return "it"
    if word in ("this", "that", "one") and (
        after
        in (
            "",
            ",",
            ".",
            "!",
            "?",
            "to",
            "in",
            "on",
            "over",
            "into",
            "onto",
            "back",
            "away",
            "down",
            "for",
            "and",
            "then",
            "at",
            "there",
            "here",
            "off",
            "please",
        )
        or index + 1 in marked.taken
    ):
        return "it" if word != "one" or marked.word(index - 1) in ("that", "this") else None
    if word == "here":
        return "here"
    return "there" if word == "there" and after not in ("is", "are", "was", "were") else None


def _role(start: int, clause: Clause, marked: Marked, particles: frozenset[int]) -> tuple[Role, int]:
    """The role from the prepositions before word `start`, and where they begin."""
    chain: list[str] = []
    index = start - 1
    words = set(clause.indexes)
    while index in words and marked.word(index) in _CHAIN and index not in particles and not marked.mention_at(index):
        chain.append(marked.word(index))
        index -= 1
    return _role_of(chain), index + 1


def _role_of(chain: list[str]) -> Role:
    """Nearest word first. `next to` and `close to` are beside; `away from`, `out of` and `off` are sources."""
    for number, word in enumerate(chain):
        before = chain[number + 1] if number + 1 < len(chain) else ""
        if word in _TO:
            return "beside" if before in ("next", "close", "near") else "to"
        if word in _FROM or (word == "of" and before == "out"):
            return "source"
        if word in _BESIDE:
            return "beside"
        if word in _AT:
            return "at"
        if word in _VIA:
            return "via"
        if word in ("for", "with", "about"):
            return word  # type: ignore[return-value]
        if word == "of" and before not in (
            "top",
            "middle",
            "center",
            "centre",
            "edge",
            "side",
            "front",
            "surface",
            "end",
            "corner",
        ):
            return "of"
    return ""


def _negated(start: int, clause: Clause, marked: Marked) -> bool:
    """`not the …`, `instead of …`, `rather than …`, `except (for) …`, `but …` after all or anything."""
    words = [marked.word(i) for i in clause.indexes if i < start][-3:]
    tail = " ".join(words)
    if words[-1:] in (["not"], ["except"], ["excluding"], ["nor"], ["never"], ["without"], ["minus"]):
        return True
    if tail.endswith(
        (
            "instead of",
            "rather than",
            "except for",
            "apart from",
            "other than",
            "not to",
            "not in",
            "not on",
            "aside from",
        )
    ):
        return True
    return words[-1:] == ["but"] and any(
        marked.word(i) in ("all", "every", "any", "anything", "everything", "each", "any")
        for i in clause.indexes
        if i < start
    )


def _attach(number: int, items: list[Item], marked: Marked) -> Item:
    """An item that only says where the item before it is (`the mug that I left on the desk`, `the kitchen sponge`)."""
    item = items[number]
    if number and item.role in ("at", "source", "of", "beside"):
        between = [
            marked.word(i)
            for i in range(items[number - 1].end, (item.mention.phrase_start if item.mention else item.index))
        ]
        words = [w for w in between if w not in ("the", "my", "a", "top", "middle", "edge", "side", ",")]
        relative = [
            w
            for w in words
            if w
            in (
                "that",
                "which",
                "is",
                "are",
                "was",
                "lying",
                "sitting",
                "standing",
                "left",
                "resting",
                "stored",
                "kept",
                "located",
                "placed",
                "lives",
                "sits",
                "lies",
                "found",
                "stands",
                "forgot",
                "parked",
                "waiting",
                "dropped",
                "one",
                "ones",
            )
        ]
        if relative in (["is"], ["are"]):
            relative = []
        if relative and set(words) <= _RELATIVE and items[number - 1].kind in ("object", "place", "person"):
            return _attached(item)
    if (
        number + 1 < len(items)
        and item.kind in ("room", "place")
        and item.end == items[number + 1].index
        and items[number + 1].mention
    ):
        return _attached(item)
    return item


def _attached(item: Item) -> Item:
    return Item(item.kind, item.role, item.index, item.end, item.word, item.mention, item.negated, True)
