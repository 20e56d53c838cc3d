"""The account the other way: every name and verb of a task clause must be used by some step of the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from premotor_planners.task.answers.answer import CompactStep
from premotor_planners.task.evidence.references import Entry, References
from premotor_planners.task.reading.naming import SPEAKER

_TO_BE_DONE = {"inspect": ("inspect", "go"), "dock": ("dock",)}
"""Verbs that mean one thing only, and the steps that do it."""


class Coverage:
    """What a plan touches, looked up for each reference."""

    def __init__(self, references: References, steps: Sequence[CompactStep]) -> None:
        self.references, self.catalogue, self.steps = references, references.catalogue, steps
        held = {self.catalogue.holding} if self.catalogue.holding else set()
        self.touched = {s.name for s in steps if s.skill in ("pick", "inspect")} | held
        self.targets = {s.name for s in steps if s.skill in ("go", "place", "give", "inspect")}
        if any(step.skill == "dock" for step in steps):
            self.targets |= self.catalogue.docks

    def unused(self) -> Iterator[str]:
        """Words of task clauses that name something the plan does not touch."""
        for entry in self.references.entries:
            pronoun = entry.item.kind == "them" and entry.item.is_target
            if entry.asking and not entry.item.negated and (entry.names or pronoun) and not self._used(entry):
                yield entry.item.word
        for _, clause in self.references.asking_clauses():
            for skill, doing in _TO_BE_DONE.items():
                meant = any(verb.classes == {skill} for verb in clause.verbs[:1])
                if meant and not any(step.skill in doing for step in self.steps):
                    yield self.references.marked.word(clause.verbs[0].index)

    def touches(self, entry: Entry) -> bool:
        """Whether anything of the plan happens with, to or at what the reference may mean."""
        rooms = {self.catalogue.places.get(target, "") for target in self.targets}
        people = {name for name, place in self.catalogue.people.items() if place in self.targets}
        return bool(set(entry.names) & (self.touched | self.targets | rooms | people | self._starts()))

    def _used(self, entry: Entry) -> bool:
        item, names = entry.item, set(entry.names)
        if item.kind == "object":
            return self._object_used(entry, names - self.references.excluded)
        if item.kind == "them":
            return bool(self.targets & set(self.catalogue.people) - {SPEAKER})
        if item.kind in ("person", "here"):
            return self._person_used(entry, names)
        if item.role == "source" and not any(i.kind in ("object", "it") for i in self.references.items[entry.clause]):
            return True
        rooms = {self.catalogue.places.get(target, "") for target in self.targets}
        if item.role == "to" and not item.attached:
            return bool(names & (self.targets | rooms))
        return bool(names & (self.targets | rooms | self._starts()))

    def _object_used(self, entry: Entry, names: set[str]) -> bool:
        if entry.item.role == "beside" and not names & self.touched:
            return any(step.name in {self.references.location(n) for n in names} for step in self.steps)
        every = entry.item.mention is not None and entry.item.mention.count == 0
        return names <= self.touched if every else bool(names & self.touched)

    def _person_used(self, entry: Entry, names: set[str]) -> bool:
        item = entry.item
        if names == {SPEAKER} and (item.role == "for" or not self.targets - {SPEAKER}):
            return True
        places = {self.references.location(name) for name in names}
        near = item.role in ("source", "beside", "at", "of") or item.kind == "here"
        return bool(names & self.targets) or (near and bool(places & (self.targets | self._starts())))

    def _starts(self) -> set[str]:
        """Where the things touched and the people visited are, as places and rooms."""
        spots = {self.references.location(name) for name in self.touched | (self.targets & set(self.catalogue.people))}
        return spots | {self.catalogue.places.get(spot, "") for spot in spots}
