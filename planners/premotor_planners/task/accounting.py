"""The ledger between an instruction and a plan: which words ask for a step, and which names no step uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from premotor_planners.task.answer import CompactStep
from premotor_planners.task.clauses import ASKING, Clause
from premotor_planners.task.naming import SPEAKER
from premotor_planners.task.outcome import Problem, not_there, unknown, which
from premotor_planners.task.reading import Reading
from premotor_planners.task.resolve import is_in_spot
from premotor_planners.task.roles import Item, clause_items
from premotor_planners.task.syntax import syntax



@dataclass(frozen=True)
class Entry:
    """One reference of the instruction: the clause it stands in (by number), the item, and the names it may mean."""

    clause: int
    item: Item
    names: tuple[str, ...]
    asking: bool

    @property
    def words(self) -> str:
        """The word as written, for messages."""
        return self.item.word


class Ledger:
    """All references of an instruction, outside messages and prohibitions."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.catalogue = reading, reading.catalogue
        self.items = [clause_items(c, reading.marked) if c.kind != "negative" else [] for c in reading.clauses]
        self.entries = list(self._entries())
        self.excluded = {n for e in self.entries if e.item.negated and len(e.names) == 1 for n in e.names}

    def _entries(self) -> Iterator[Entry]:
        for number, items in enumerate(self.items):
            for position, item in enumerate(items):
                asking = self.reading.clauses[number].kind in ASKING
                meant = item if asking else replace(item, negated=False)
                yield Entry(number, meant, self._fitting(items, position), asking)

        for mention in self.reading.marked.mentions:
            number = next((n for n, c in enumerate(self.reading.clauses) if mention.start in c.indexes), None)
            if (
                number is not None
                and mention.kind == "person"
                and self.reading.marked.text.words[mention.end - 1].possessive
            ):
                item = Item("person", "", mention.start, mention.end, self.reading.marked.word(mention.start), mention)
                yield Entry(number, item, mention.candidates if self._has_pronoun() else (), False)

    def _has_pronoun(self) -> bool:
        words = {self.reading.marked.word(i) for clause in self.reading.clauses for i in clause.indexes}
        return bool(words & {"him", "her", "them"})

    def _fitting(self, items: Sequence[Item], position: int) -> tuple[str, ...]:
        """The names that the words and the stated place allow."""
        item = items[position]
        if item.mention is None:
            return (SPEAKER,) if item.kind == "here" or item.word in ("me", "us", "myself") else ()
        names = item.mention.candidates
        if item.kind not in ("object", "place"):
            return names
        where = [o for o in items[position + 1 : position + 3] if self._narrows(item, o)]
        where += [o for o in items[:position] if o.attached and o.end == item.index]
        for other in where:
            if other.mention is not None:
                spots = other.mention.candidates
                names = tuple(n for n in names if any(is_in_spot(self._location(n), s, self.catalogue) for s in spots))
        return names

    def _narrows(self, item: Item, other: Item) -> bool:
        if other.kind not in ("place", "room", "person") or other.negated:
            return False
        start = other.mention.phrase_start if other.mention else other.index
        near = start - item.end <= 1
        if item.kind == "place":
            return near and other.role in ("at", "of") and other.kind == "room"
        return (
            other.attached or other.role == "source" or (near and other.role == "at" and self._has_target(item, other))
        )

    def _has_target(self, item: Item, where: Item) -> bool:
        """Whether the clause of `item` has a receiver or destination besides `where`."""
        items = next(items for items in self.items if item in items)
        return any(
            i is not where
            and i.kind not in ("object", "it")
            and i.role in ("to", "", "for")
            and not i.attached
            and not i.negated
            for i in items
        )

    def _location(self, name: str) -> str:
        return self.catalogue.objects.get(name, name)

    # ---- what the words leave open

    def unsettled(self) -> Iterator[tuple[str, Problem]]:
        """Contradictions and questions that no plan can answer."""
        for entry in self.entries:
            mention = entry.item.mention
            if mention is None or not entry.asking or entry.item.negated:
                continue
            kind = {"object": "object", "person": "person"}.get(entry.item.kind, "place")
            if mention.strange:
                yield f"{mention.strange} is not known", unknown(mention.strange, self.catalogue, kind)
            elif not entry.names:
                words = self.reading.marked.text.slice(mention.start, mention.end)
                yield f"{words} is not there", not_there(words, "place you name")
            elif len(self._open(entry)) > 1:
                yield f"{entry.words} fits several entries", which(self._open(entry))

    def _open(self, entry: Entry) -> tuple[str, ...]:
        """The names among which a definite reference for one thing does not decide."""
        mention = entry.item.mention
        if mention is None or not mention.definite or mention.count is not None:
            return ()
        names = tuple(n for n in entry.names if n not in self.excluded)
        named = {
            n
            for e in self.entries
            if e.clause <= entry.clause and e is not entry and len(e.names) == 1
            for n in e.names
        }
        settled = [n for n in names if n in named]
        if mention.other and len(names) == 2 and len(settled) == 1:
            return ()
        return () if len(settled) == 1 else names

    # ---- what asks for a step

    def founds(self, step: CompactStep) -> bool:
        """Whether some words ask for this step's skill and name."""
        if step.skill == "dock":
            return any(self._docks(c) for c in self._clauses()) or bool(self._naming(tuple(self.catalogue.docks)))
        if step.skill == "inspect" and not any("inspect" in v.classes for c in self._clauses() for v in c.verbs):
            return False
        if step.skill == "give" and step.name == SPEAKER and self._brings():
            return True
        if step.skill == "go" and self._is_spoken_to(step.name):
            return True
        return bool(self._founding(step))

    def _clauses(self) -> list[Clause]:
        return [clause for clause in self.reading.clauses if clause.kind in ASKING]

    def _docks(self, clause: Clause) -> bool:
        return any("dock" in verb.classes for verb in clause.verbs)

    def _brings(self) -> bool:
        """A clause that brings something to the speaker without saying so (`fetch the …`, `I need the …`)."""
        for number, clause in enumerate(self.reading.clauses):
            joined = f" {' '.join(self.reading.marked.word(i) for i in clause.indexes)} "
            please = (
                clause.kind == "fragment"
                and bool(clause.indexes)
                and any(
                    self.reading.marked.word(i) in ("please", "pls", "plz")
                    for i in range(clause.indexes[0], clause.indexes[-1] + 3)
                )
            )
            wish = please or (clause.kind == "task" and syntax().wishes.search(joined) is not None)
            bring = any(v.classes & {"fetch"} for v in clause.verbs) and clause.kind == "task"
            if (wish or bring) and not self._other_target(number):
                return True
        return False

    def _other_target(self, number: int) -> bool:
        return any(
            item.kind in ("place", "room", "person", "them", "there")
            and item.role in ("to", "", "for")
            and not item.attached
            and not item.negated
            for item in self.items[number]
            if item.kind != "person" or (item.mention is not None)
        )

    def _is_spoken_to(self, name: str) -> bool:
        """Someone to tell, or somewhere to say it; a pronoun is anybody named before, the last one as a rule."""
        messages = [m for clause in self._clauses() for m in clause.messages]
        named = {n for e in self.entries if e.item.kind == "person" for n in e.names}
        return any(
            name in (m.hearer, m.location, *m.also) or (m.hearer in ("him", "her", "them") and name in named)
            for m in messages
        )

    def _naming(self, names: Sequence[str]) -> list[Entry]:
        return [e for e in self.entries if not e.item.negated and set(e.names) & set(names)]

    def _founding(self, step: CompactStep) -> list[Entry]:
        """References that this step's name may stand on, roles considered."""
        name = step.name
        if step.skill in ("pick", "inspect", "go"):
            direct = [e for e in self._naming((name,)) if name not in self.excluded]
            direct = [e for e in direct if not (step.skill == "go" and e.item.role == "source")]
        elif step.skill == "place":
            direct = [e for e in self._naming((name, self.catalogue.places.get(name, name))) if self._may_receive(e)]
            direct += [e for e in self.entries if self._stands_for_place(e, name)]
        else:
            direct = [e for e in self._naming((name,)) if e.item.kind in ("person", "here")]
        if direct or name not in self.catalogue.people or name == SPEAKER:
            return direct
        return []

    def _may_receive(self, entry: Entry) -> bool:
        """A place named as a source, or only to say where something is, is no destination."""
        return (
            entry.item.kind in ("place", "room") and entry.item.role not in ("source", "of") and not entry.item.attached
        )

    def _stands_for_place(self, entry: Entry, name: str) -> bool:
        """`next to the stapler`, `by Anna`, `over here`."""
        if (
            entry.item.kind in ("object", "person", "here")
            and entry.item.role in ("beside", "at", "")
            and not entry.item.negated
        ):
            if entry.item.kind == "object" and entry.item.role != "beside":
                return False
            spots = {self.catalogue.objects.get(n) or self.catalogue.people.get(n) for n in entry.names}
            return name in spots
        return False

    def asking(self, step: CompactStep) -> list[int]:
        """Numbers of the task clauses that may ask for this step; empty when any may."""
        if step.skill in ("say", "wait", "dock"):
            return self._special(step)
        if step == CompactStep("give", SPEAKER) and self._brings():
            return []
        entries = self._founding(step)
        if any(not e.asking for e in entries) or not entries:
            return []
        return [e.clause for e in entries]

    def _special(self, step: CompactStep) -> list[int]:
        found = []
        for number, clause in enumerate(self.reading.clauses):
            if clause.kind not in ASKING:
                continue
            durations = [d for d in self.reading.marked.durations if d.start in clause.indexes]
            if (
                (step.skill == "say" and any(m.text == step.name for m in clause.messages))
                or (step.skill == "wait" and any(d.seconds == step.duration_s for d in durations))
                or (
                    step.skill == "dock"
                    and (
                        self._docks(clause)
                        or any(set(e.names) & self.catalogue.docks for e in self.entries if e.clause == number)
                    )
                )
            ):
                found.append(number)
        return found

    # ---- names without a step

    def unused(self, steps: Sequence[CompactStep]) -> Iterator[str]:
        """Words of task clauses that name something the plan does not touch."""
        for entry in self.entries:
            if entry.asking and not entry.item.negated and entry.names and not self._used(entry, steps):
                yield entry.words
        for clause in self._clauses():
            if any(v.classes == {"inspect"} for v in clause.verbs[:1]) and not any(
                s.skill in ("inspect", "go") for s in steps
            ):
                yield "the looking"
            if any(v.classes == {"dock"} for v in clause.verbs[:1]) and not any(s.skill == "dock" for s in steps):
                yield "the charging"

    def _used(self, entry: Entry, steps: Sequence[CompactStep]) -> bool:
        item, names = entry.item, set(entry.names)
        touched = {s.name for s in steps if s.skill in ("pick", "inspect")} | (
            {self.catalogue.holding} if self.catalogue.holding else set()
        )
        if item.kind == "object":
            if item.role in ("beside",) and not names & touched:
                return any(s.name in {self._location(n) for n in names} for s in steps)
            mention = item.mention
            every = mention is not None and mention.count == 0
            return names <= touched if every else bool(names & touched)
        targets = {s.name for s in steps if s.skill in ("go", "place", "give", "inspect")}
        rooms = {self.catalogue.places.get(t, "") for t in targets}
        if any(s.skill == "dock" for s in steps):
            targets |= self.catalogue.docks
        sources = {self.catalogue.objects.get(n or "", "") for n in touched} | {
            self.catalogue.people.get(t, "") for t in targets
        }
        sources |= {self.catalogue.places.get(s, "") for s in sources}
        if item.role == "to" and not item.attached:
            return bool(names & (targets | rooms))
        if item.kind == "person":
            return self._person_used(entry, names, targets, steps)
        return bool(names & (targets | rooms | sources))

    def _person_used(self, entry: Entry, names: set[str], targets: set[str], steps: Sequence[CompactStep]) -> bool:
        if names == {SPEAKER} and (
            entry.item.role == "for" or (entry.item.word in ("us", "here", "me") and not targets - {SPEAKER})
        ):
            return True
        places = {self.catalogue.people.get(n, "") for n in names}
        if entry.item.role in ("source", "beside", "at", "of") and places & {
            *targets,
            *(self.catalogue.objects.get(s.name, "") for s in steps),
        }:
            return True
        return bool(names & targets)

    # ---- which object goes where

    def go_together(self, name: str, step: CompactStep) -> bool:
        """Whether the object and the place or person of one transfer are asked for together.

        They stand in one clause, or the clause of either refers back (`it`, no object at all), or one is background.
        """
        objects = {e.clause for e in self._naming((name,))}
        targets = {e.clause for e in self._founding(step)}
        if not objects or not targets or objects & targets:
            return not (objects & targets) or self._in_turn(name, step, objects & targets)
        return any(self._refers_back(number) for number in targets) or any(
            self.reading.clauses[number].kind != "task" for number in objects
        )

    def _refers_back(self, number: int) -> bool:
        kinds = [item.kind for item in self.items[number]]
        return "it" in kinds or "object" not in kinds

    def _in_turn(self, name: str, step: CompactStep, clauses: set[int]) -> bool:
        """In a clause of several objects and targets, the object's target is the nearest that is not another's."""
        for number in clauses:
            objects = [e for e in self.entries if e.clause == number and e.item.kind == "object" and not e.item.negated]
            targets = [e for e in self.entries if e.clause == number and self._is_target(e)]
            if len(objects) < 2 or len(targets) < 2:
                return True
            mine = [i for i, e in enumerate(objects) if name in e.names]
            wanted = (step.name, self.catalogue.places.get(step.name, ""))
            theirs = [i for i, e in enumerate(targets) if set(e.names) & set(wanted)]
            if len(objects) == len(targets) and set(mine) & set(theirs):
                return True
        return False

    def _is_target(self, entry: Entry) -> bool:
        item = entry.item
        return (
            item.kind in ("place", "room", "person")
            and item.role not in ("source", "of")
            and not item.attached
            and not item.negated
        )
