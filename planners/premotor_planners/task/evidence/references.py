"""Every reference of an instruction with the names it may stand for: the account that evidence is drawn from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from premotor_planners.task.outcome import Problem, not_there, unknown, which
from premotor_planners.task.reading.clauses import Clause
from premotor_planners.task.reading.mentions import Mention
from premotor_planners.task.reading.naming import SPEAKER
from premotor_planners.task.reading.reading import Reading
from premotor_planners.task.reading.roles import Item, clause_items
from premotor_planners.task.rules.resolve import is_in_spot


@dataclass(frozen=True)
class Entry:
    """One reference: the number of its clause, the item, the names that fit, whether its clause asks for anything."""

    clause: int
    item: Item
    names: tuple[str, ...]
    asking: bool

    @property
    def allows_many(self) -> bool:
        """Several things, or any one of them, are meant; or it is a pronoun."""
        mention = self.item.mention
        return mention is None or not mention.definite or mention.count is not None


class References:
    """All references outside messages and prohibitions, clause by clause."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.catalogue, self.marked = reading, reading.catalogue, reading.marked
        self.items = [self._items(clause) for clause in reading.clauses]
        self.entries = [*self._entries(), *self._owners()]
        excluded = [e for e in self.entries if e.item.negated and len(e.names) == 1]
        self.excluded = frozenset(name for entry in excluded for name in entry.names)

    def _items(self, clause: Clause) -> list[Item]:
        """A prohibition names nothing to use, but `never put the knife on the bed` lets a later `it` mean the knife."""
        items = clause_items(clause, self.marked)
        if clause.kind != "negative":
            return items
        placed = clause.verbs and any(item.kind in ("place", "room") for item in items)
        return [item for item in items if item.kind == "object"] if placed else []

    def naming(self, *names: str) -> list[Entry]:
        """The references, not excluded, that may mean one of the names."""
        return [e for e in self.entries if not e.item.negated and set(e.names) & set(names)]

    def asking_clauses(self) -> Iterator[tuple[int, Clause]]:
        """Number and clause of everything that wants something done."""
        return ((n, clause) for n, clause in enumerate(self.reading.clauses) if clause.asks)

    def unsettled(self) -> Iterator[tuple[str, Problem]]:
        """Contradictions and questions that no plan can answer, with a short reason each."""
        for entry in self.entries:
            mention = entry.item.mention
            if mention is None or not entry.asking or entry.item.negated:
                continue
            kind = entry.item.kind if entry.item.kind in ("object", "person") else "place"
            words = self.marked.text.slice(mention.start, mention.end)
            if mention.strange:
                yield f"{mention.strange} is not known", unknown(mention.strange, self.catalogue, kind)
            elif not entry.names:
                yield f"{words} is not there", not_there(words, "place you name")
            elif len(self._open(entry)) > 1:
                yield f"{words} fits several entries", which(self._open(entry))

    def alternatives(self) -> Iterator[tuple[str, Problem]]:
        """`the apple or the newspaper`: two names joined by `or` are a question."""
        for one, other in zip(self.entries, self.entries[1:], strict=False):
            between = [self.marked.word(i) for i in range(one.item.end, other.item.start) if i not in self.marked.taken]
            same = one.clause == other.clause and one.asking and one.names and other.names
            if same and "or" in between and not set(one.names) & set(other.names):
                yield "one or the other", which((one.names[0], other.names[0]))

    def location(self, name: str) -> str:
        """Where an object or person is at the start; a place is where it is."""
        return self.catalogue.objects.get(name) or self.catalogue.people.get(name, name)

    def _entries(self) -> Iterator[Entry]:
        for number, items in enumerate(self.items):
            asking = self.reading.clauses[number].asks
            for position, item in enumerate(items):
                meant = item if asking else replace(item, negated=False)
                other = not asking and item.mention is not None and item.mention.strange
                yield Entry(number, meant, () if other else self._fitting(items, position), asking)

    def _owners(self) -> Iterator[Entry]:
        """`Anna's eyes hurt, take her …`, `tell Ben … and give him …`: whom a pronoun may mean besides."""
        words = {self.marked.word(i) for clause in self.reading.clauses for i in clause.indexes}
        if not words & {"him", "her", "them"}:
            return
        for number, clause in enumerate(self.reading.clauses):
            here = [m for m in self.marked.mentions if m.start in clause.indexes and m.kind == "person"]
            for mention in (m for m in here if self.marked.possessive(m.end - 1)):
                yield self._aside(number, mention.start, mention.candidates, mention)
            for message in clause.messages:
                yield self._aside(number, message.start, tuple({message.hearer} & set(self.catalogue.people)), None)

    def _aside(self, number: int, index: int, names: tuple[str, ...], mention: Mention | None) -> Entry:
        return Entry(number, Item("person", "", index, index + 1, self.marked.word(index), mention), names, False)

    def _fitting(self, items: Sequence[Item], position: int) -> tuple[str, ...]:
        """The names that the words and the stated place allow."""
        item = items[position]
        if item.mention is None:
            return (SPEAKER,) if item.kind == "here" or item.word in ("me", "us", "myself") else ()
        names = item.mention.candidates
        if item.kind not in ("object", "place"):
            return names
        for other in self._narrowing(items, position):
            spots = other.mention.candidates if other.mention else ()
            if spots:
                names = tuple(n for n in names if any(is_in_spot(self.location(n), s, self.catalogue) for s in spots))
        return names

    def _narrowing(self, items: Sequence[Item], position: int) -> list[Item]:
        item = items[position]
        after = [other for other in items[position + 1 : position + 3] if self._narrows(item, other, items)]
        return after + [other for other in items[:position] if other.attached and other.end == item.index]

    def _narrows(self, item: Item, other: Item, items: Sequence[Item]) -> bool:
        if other.kind not in ("place", "room", "person") or other.negated:
            return False
        near = other.start - item.end <= 1
        if item.kind == "place":
            return near and other.role in ("at", "of") and other.kind == "room"
        located = near and other.role == "at" and any(_receives(i) for i in items if i is not other)
        return other.attached or other.role == "source" or located

    def _open(self, entry: Entry) -> tuple[str, ...]:
        """The names among which a definite reference for one thing does not decide."""
        if entry.allows_many:
            return ()
        names = tuple(name for name in entry.names if name not in self.excluded)
        earlier = [e for e in self.entries if e.clause <= entry.clause and e is not entry and len(e.names) == 1]
        settled = {name for e in earlier for name in e.names} & set(names)
        other = entry.item.mention is not None and entry.item.mention.other and len(names) == 2
        return () if len(settled) == 1 or (other and settled) else names


def _receives(item: Item) -> bool:
    return item.kind not in ("object", "it") and item.role in ("to", "", "for") and item.is_target
