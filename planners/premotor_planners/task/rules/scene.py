"""What the reading of one clause goes by: the instruction, what was said before, and how items become names."""

from __future__ import annotations

from collections.abc import Sequence

from premotor_planners.task.lexicon.syntax import is_in, syntax
from premotor_planners.task.outcome import not_there, unclear, unknown, which
from premotor_planners.task.reading.clauses import Clause
from premotor_planners.task.reading.naming import SPEAKER
from premotor_planners.task.reading.reading import Reading
from premotor_planners.task.reading.roles import Item
from premotor_planners.task.rules.intents import Intent
from premotor_planners.task.rules.resolve import (
    Discourse,
    StuckError,
    is_in_spot,
    resolve_objects,
    resolve_person,
    resolve_place,
)

NO_PLACE = "Where should I put it?"
HOW_LONG = "For how long should I wait? Give a number of seconds or minutes."
TOWARDS_PEOPLE = ("person", "them", "here")


class Scene:
    """The discourse so far. Its methods raise StuckError where an item means nothing, or more than one thing."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.marked, self.text = reading, reading.marked, reading.marked.text
        self.catalogue = reading.catalogue
        self.talk = Discourse(self.catalogue, holding=self.catalogue.holding, object_at=dict(self.catalogue.objects))
        self.excluded: frozenset[str] = frozenset()
        self.last: Intent | None = None
        if self.catalogue.holding:
            self.talk.objects = (self.catalogue.holding,)
            self.talk.object_at.pop(self.catalogue.holding, None)

    # ---- items to names

    def objects(self, item: Item, where: Sequence[str]) -> tuple[str, ...]:
        """The objects an item means; `where` are names that must hold them."""
        if item.mention is not None:
            return resolve_objects(item.mention, where, self.excluded, self.talk, self.text)
        if not self.talk.objects:
            raise StuckError(unclear(f"I do not know what `{item.word}` is; name the thing."))
        if item.word == "it" and len(self.talk.objects) > 1:
            raise StuckError(which(self.talk.objects))
        return self.talk.objects

    def person(self, item: Item) -> str:
        """The person an item means."""
        return resolve_person(item.mention, item.word, self.talk)

    def place(self, item: Item) -> str:
        """The place or room an item means; an object or the speaker stands for the place it is at."""
        if item.kind == "here":
            return self.catalogue.people[self.person(item)]
        if item.mention is None:
            if not self.talk.place:
                raise StuckError(unclear("I do not know which place you mean; name it."))
            return self.talk.place
        if item.kind == "object":
            found = self.objects(item, ())
            if len(found) > 1 or not self.talk.location_of(found[0]):
                raise StuckError(unclear(NO_PLACE))
            return self.talk.location_of(found[0])
        return resolve_place(item.mention, self._room_after(item), self.talk, self.text)

    def goal(self, item: Item) -> str:
        """Where to drive for an item."""
        return self.person(item) if item.kind in TOWARDS_PEOPLE else self.place(item)

    def where(self, sources: Sequence[Item]) -> list[str]:
        """Names that the objects must be at."""
        found: list[str] = []
        for item in sources:
            if item.kind in ("person", "them"):
                found.append(self.person(item))
            elif item.mention is not None and item.mention.strange:
                raise StuckError(unknown(item.mention.strange, self.catalogue, "place"))
            elif item.mention is not None:
                found += item.mention.candidates
            elif item.kind == "there" and self.talk.place:
                found.append(self.talk.place)
        return found

    def check_inside(self, target: Item, where: Item) -> None:
        """`to Anna in the study`: said of the target, and true."""
        names = where.mention.candidates if where.mention else ()
        person = self.person(target) if target.kind != "place" else ""
        if person and not any(is_in_spot(self.talk.location_of(person), name, self.catalogue) for name in names):
            raise StuckError(not_there(person, names[0] if names else where.word))

    def _room_after(self, item: Item) -> tuple[str, ...]:
        """`the table in the living room`: the room right after a place narrows it."""
        for mention in self.marked.mentions:
            between = [self.marked.word(i) for i in range(item.end, mention.phrase_start)]
            if item.kind == "place" and mention.kind == "room" and between in (["in"], ["of"], ["inside"]):
                return mention.candidates
        return ()

    # ---- clauses

    def is_wish(self, clause: Clause) -> bool:
        """`I need …`, `can I have …`."""
        return syntax().wishes.search(self.marked.joined(clause)) is not None

    def is_soft(self, clause: Clause) -> bool:
        """A wish or statement rather than a command; a command about the same things replaces it."""
        states = bool(clause.indexes) and self.marked.mention_at(clause.indexes[0]) is not None
        return self.is_wish(clause) or (states and not clause.requested)

    def says_please(self, clause: Clause) -> bool:
        """`the remote, please`: politeness in or right after the clause."""
        return any(is_in(self.marked.word(i), "please") for i in range(clause.indexes[0], clause.indexes[-1] + 3))

    # ---- memory

    def remember(self, intent: Intent) -> None:
        """Antecedents and the state after an intent."""
        self.last = intent
        self.talk.used |= set(intent.objects)
        if intent.objects:
            self.talk.objects = intent.objects
        elif intent.kind == "inspect" and intent.target in self.catalogue.objects:
            self.talk.objects = (intent.target,)
        if intent.target in self.catalogue.people:
            self.talk.person = intent.target if intent.target != SPEAKER else self.talk.person
            self.talk.place = self.catalogue.people[intent.target]
        if intent.target in self.catalogue.places or intent.target in self.catalogue.rooms:
            self.talk.place = intent.target
        if not intent.soft and not intent.incomplete:
            self._move(intent)

    def _move(self, intent: Intent) -> None:
        if intent.kind == "hold":
            self.talk.holding = intent.objects[0]
        elif intent.kind in ("transport", "give"):
            self.talk.holding = None
            if intent.target in self.catalogue.places:
                self.talk.object_at |= dict.fromkeys(intent.objects, intent.target)
