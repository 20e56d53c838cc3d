"""Which words ask for a step: nothing may be done that no reference, verb or wish of the instruction founds."""

from __future__ import annotations

from premotor_planners.task.answers.answer import CompactStep
from premotor_planners.task.evidence.references import Entry, References
from premotor_planners.task.lexicon.syntax import is_in, syntax
from premotor_planners.task.reading.clauses import Clause
from premotor_planners.task.reading.naming import SPEAKER

_TARGET_KINDS = ("place", "room", "person", "them", "there")


class Founding:
    """Judges steps one by one against the references of an instruction."""

    def __init__(self, references: References) -> None:
        self.references, self.catalogue, self.marked = references, references.catalogue, references.marked

    def founds(self, step: CompactStep) -> bool:
        """Whether some words ask for this step's skill and name (texts and times are judged elsewhere)."""
        clauses = [clause for _, clause in self.references.asking_clauses()]
        if step.skill == "dock":
            return any(_docks(clause) for clause in clauses) or bool(self.references.naming(*self.catalogue.docks))
        if step.skill == "inspect" and not any("inspect" in v.classes for c in clauses for v in c.verbs):
            return False
        if step == CompactStep("give", SPEAKER) and self.brings():
            return True
        if step.skill == "go" and self._is_spoken_to(step.name):
            return True
        if step == CompactStep("go", SPEAKER) and any(verb.base == "come" for c in clauses for verb in c.verbs):
            return True
        return bool(self.entries(step))

    def entries(self, step: CompactStep) -> list[Entry]:
        """References that this step's name may stand on, roles considered."""
        name, references = step.name, self.references
        if step.skill == "place":
            spots = references.naming(name, self.catalogue.places.get(name, name))
            found = [e for e in spots if e.item.kind in ("place", "room") and e.item.is_target]
            return found + [e for e in references.entries if self._stands_for(e, name)]
        if step.skill == "give":
            return [e for e in references.naming(name) if e.item.kind in ("person", "here")]
        if name in references.excluded:
            return []
        return [e for e in references.naming(name) if not (step.skill == "go" and e.item.role == "source")]

    def asking(self, step: CompactStep) -> list[int]:
        """Numbers of the clauses that ask for this step; empty when the order says nothing about it."""
        if step.skill in ("say", "wait", "dock"):
            return [
                number for number, clause in self.references.asking_clauses() if self._names_act(number, clause, step)
            ]
        if step == CompactStep("give", SPEAKER) and self.brings():
            here = {entry.clause for entry in self.entries(step) if entry.asking}
            return sorted(here | set(self._bringing()))
        entries = self.entries(step)
        if any(not e.asking for e in entries):
            return []
        found = [e.clause for e in entries]
        return found + (self._repeating(min(found)) if found and step.skill in ("place", "give") else [])

    def _repeating(self, first: int) -> list[int]:
        """Fragments without a target of their own after clause `first` (`…, then the blue one`)."""
        asking = self.references.asking_clauses()
        later = [number for number, clause in asking if number > first and clause.kind == "fragment"]
        return [n for n in later if not any(i.kind in _TARGET_KINDS for i in self.references.items[n])]

    def brings(self) -> bool:
        """A clause that brings something to the speaker without saying so (`fetch the …`, `I need the …`)."""
        return bool(self._bringing())

    def _bringing(self) -> list[int]:
        asking = self.references.asking_clauses()
        return [number for number, clause in asking if self._wants(clause) and not self._other_target(number)]

    def _wants(self, clause: Clause) -> bool:
        if clause.kind == "fragment":
            near = range(clause.indexes[0], clause.indexes[-1] + 3) if clause.indexes else range(0)
            return any(is_in(self.marked.word(i), "please") for i in near)
        wish = syntax().wishes.search(self.marked.joined(clause)) is not None
        return wish or any("fetch" in verb.classes for verb in clause.verbs)

    def _other_target(self, number: int) -> bool:
        items = [i for i in self.references.items[number] if i.is_target and i.kind in _TARGET_KINDS]
        return any(i.role in ("to", "", "for") and (i.kind != "person" or i.mention is not None) for i in items)

    def _is_spoken_to(self, name: str) -> bool:
        """Someone to tell, or somewhere to say it; a pronoun is anybody named before."""
        named = {n for e in self.references.entries if e.item.kind == "person" for n in e.names}
        messages = [m for _, clause in self.references.asking_clauses() for m in clause.messages]
        return any(
            name in (m.hearer, m.location, *m.also) or (m.hearer in ("him", "her", "them") and name in named)
            for m in messages
        )

    def _stands_for(self, entry: Entry, name: str) -> bool:
        """`next to the stapler`, `by Anna` stand for a place."""
        item = entry.item
        roles = ("beside",) if item.kind == "object" else ("beside", "at")
        if item.kind not in ("object", "person") or item.role not in roles or item.negated or not entry.asking:
            return False
        return name in {self.references.location(n) for n in entry.names}

    def _names_act(self, number: int, clause: Clause, step: CompactStep) -> bool:
        if step.skill == "say":
            return any(message.text == step.name for message in clause.messages)
        if step.skill == "wait":
            times = [d.seconds for d in self.marked.durations if d.start in clause.indexes]
            return step.duration_s in times
        entries = [e for e in self.references.entries if e.clause == number]
        return _docks(clause) or any(set(e.names) & self.catalogue.docks for e in entries)


def _docks(clause: Clause) -> bool:
    return any("dock" in verb.classes for verb in clause.verbs)
