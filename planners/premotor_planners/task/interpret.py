"""From clauses to intents: which verb, which objects, where to, decided by roles rather than by word order."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_planners.task.clauses import WISHES, Clause, Verb
from premotor_planners.task.intents import Intent
from premotor_planners.task.naming import SPEAKER
from premotor_planners.task.outcome import Problem, not_there, unclear, unknown, unsupported, which
from premotor_planners.task.reading import Reading
from premotor_planners.task.resolve import Discourse, StuckError, is_in, resolve_objects, resolve_person, resolve_place
from premotor_planners.task.roles import Item, clause_items
from premotor_planners.task.speech import EVERYONE, ME, THEM, Message

LOOK_ONLY = frozenset(
    {
        "inspect",
        "check",
        "examine",
        "look",
        "view",
        "survey",
        "scan",
        "observe",
        "peek",
        "peer",
        "glance",
        "have",
        "take",
        "eye",
        "watch",
        "investigate",
        "review",
        "scrutinize",
        "scrutinise",
        "verify",
        "study",
        "assess",
        "audit",
        "do",
        "give",
        "run",
        "cast",
        "peep",
    }
)
WAIT_ONLY = frozenset({"wait", "pause", "linger", "hang", "freeze", "halt", "idle", "remain", "stay"})
_VISITING = frozenset({"visit", "see", "meet", "join", "reach", "approach", "tour", "find", "enter", "check"})
PLEASE = frozenset({"please", "pls", "plz"})
_PUTTING = frozenset({"set", "put", "place", "lay", "leave", "rest", "stand", "drop"})
NO_PLACE = "Where should I put it?"


@dataclass
class Parts:
    """The items of a clause by what they do."""

    objects: list[Item]
    targets: list[Item]
    sources: list[Item]
    routes: list[Item]
    negated: list[Item]


def _says_again(target: Item, item: Item) -> bool:
    """`here to me`: two words for the speaker."""
    return "here" in (item.kind, target.kind) and SPEAKER in _names(item) and SPEAKER in _names(target)


def _names(item: Item) -> tuple[str, ...]:
    """The speaker for `me` and `here`, else the candidates."""
    return item.mention.candidates if item.mention else (SPEAKER,) if item.kind in ("person", "here") else ()


class Interpreter:
    """Reads clause after clause; the discourse carries antecedents from one to the next."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.marked, self.text = reading, reading.marked, reading.marked.text
        catalogue = reading.catalogue
        self.talk = Discourse(catalogue, holding=catalogue.holding, object_at=dict(catalogue.objects))
        if catalogue.holding:
            self.talk.objects = (catalogue.holding,)
            self.talk.object_at.pop(catalogue.holding, None)
        self.excluded: frozenset[str] = frozenset()
        self.last: Intent | None = None

    def clause(self, clause: Clause) -> list[Intent]:
        """The intents of one clause; the background only leaves antecedents. Raises StuckError."""
        items = clause_items(clause, self.marked)
        self._note_owner(clause)
        self.excluded = self._excluded(items) if clause.kind in ("task", "fragment") else frozenset()
        if clause.kind == "background" or clause.kind == "filler":
            self._note_background(items)
            return []
        if clause.messages:
            return [*self._plain(clause, items, lead=True), *(i for m in clause.messages for i in self._say(m))]
        return self._plain(clause, items)

    def _note_owner(self, clause: Clause) -> None:
        """`Anna's eyes hurt, take her …`: an owner can be meant by a later pronoun."""
        for mention in self.marked.mentions:
            owner = mention.kind == "person" and mention.start in clause.indexes
            if owner and self.text.words[mention.end - 1].possessive and len(mention.candidates) == 1:
                self.talk.person = mention.candidates[0]

    # ---- messages

    def _say(self, message: Message) -> list[Intent]:
        hearer = ""
        if message.hearer in ME:
            raise StuckError(unsupported("tell you that"))
        if not message.known:
            raise StuckError(unknown(message.hearer, self.reading.catalogue, "person"))
        if message.hearer in THEM:
            hearer = resolve_person(None, message.hearer, self.talk)
        elif message.hearer and message.hearer not in EVERYONE:
            hearer = self.talk.person = message.hearer
        there = [Intent("go", target=message.location)] if message.location and not hearer else []
        more = [Intent("say", target=name, text=message.text) for name in message.also]
        return [*there, Intent("say", target=hearer, text=message.text), *more]

    # ---- background

    def _note_background(self, items: list[Item]) -> None:
        """Antecedents, and a stated location that does not hold is no reason to stop: nothing is asked yet."""
        for item in items:
            if item.mention is None or item.mention.strange:
                continue
            if item.kind == "person" and len(item.mention.candidates) == 1:
                self.talk.person = item.mention.candidates[0]
            elif item.kind == "object":
                self._note_object(item, items)
            elif item.kind in ("place", "room") and len(item.mention.candidates) == 1:
                self.talk.place = item.mention.candidates[0]

    def _note_object(self, item: Item, items: list[Item]) -> None:
        where = [
            o.mention.candidates[0]
            for o in items
            if o.kind in ("place", "room") and o.mention and o.role in ("at", "source")
        ]
        assert item.mention is not None
        try:
            self.talk.objects = resolve_objects(item.mention, where, frozenset(), self.talk, self.text)
        except StuckError:
            self.talk.objects = item.mention.candidates

    # ---- the parts of a clause

    def _excluded(self, items: list[Item]) -> frozenset[str]:
        negated = [i.mention for i in items if i.negated and i.kind == "object" and i.mention]
        return frozenset(name for mention in negated for name in mention.candidates if len(mention.candidates) == 1)

    def _parts(self, clause: Clause, items: list[Item]) -> Parts:
        parts = Parts([], [], [], [], [])
        head = self._head(clause)
        for number, item in enumerate(items):
            if item.negated:
                parts.negated.append(item)
            elif item.kind == "object" and item.role == "beside" and parts.objects:
                parts.targets.append(item)
            elif item.kind in ("object", "it"):
                parts.objects.append(item)
            elif self._describes_target(number, items):
                self._check_inside(items[number - 1], item)
            elif (
                item.attached
                or item.role in ("source", "of")
                or (item.role == "at" and self._tells_where(number, items, head))
            ):
                parts.sources.append(item)
            elif item.role == "via":
                parts.routes.append(item)
            elif not (item.kind == "person" and item.role == "for" and self._is_beneficiary(items)):
                parts.targets.append(item)
        return parts

    def _describes_target(self, number: int, items: list[Item]) -> bool:
        """`Anna in the study`, `the table in the living room`: a room or place right after a person or a place."""
        item, before = items[number], items[number - 1] if number else None
        if (
            before is None
            or before.negated
            or before.kind not in ("person", "place", "them")
            or self._gap(before, item)
        ):
            return False
        return (item.kind == "room" and item.role in ("at", "of")) or (
            before.kind == "person" and item.kind == "place" and item.role == "at"
        )

    def _is_beneficiary(self, items: list[Item]) -> bool:
        """`for me` beside a destination."""
        return any(
            i.role in ("to", "at") and i.kind in ("place", "room", "here", "there") and not i.negated for i in items
        )

    def _tells_where(self, number: int, items: list[Item], head: Verb | None) -> bool:
        """`the mug on the desk` in a clause that has another target, or whose verb needs none."""
        if number == 0 or items[number - 1].kind not in ("object", "place", "person") or items[number - 1].negated:
            return False
        before = items[number - 1]
        if before.mention is None or self._gap(before, items[number]):
            return False
        if before.kind in ("place", "person"):
            return False
        others = [
            i
            for n, i in enumerate(items)
            if n != number
            and not self._describes_target(n, items)
            and not i.negated
            and not i.attached
            and i.kind not in ("object", "it")
        ]
        if any(
            i.role in ("to", "at", "beside") or i.kind in ("person", "them", "here")
            for i in others
            if i.role != "source"
        ):
            return True
        classes = head.classes if head else frozenset()
        if "move" in classes and head and head.base not in ("get", "grab", "fetch", "pick", "retrieve", "collect"):
            return bool(classes & {"pick", "keep"}) and "move" not in classes
        return bool(classes & {"fetch", "pick", "keep", "give", "inspect"})

    def _gap(self, before: Item, item: Item) -> bool:
        """Whether more than small words stands between two items (then the second is no attribute of the first)."""
        start = item.mention.phrase_start if item.mention else item.index
        between = [self.marked.word(i) for i in range(before.end, start)]
        return any(word in (",", "and", "back", "down", "away", "over") for word in between)

    def _head(self, clause: Clause) -> Verb | None:
        """The first verb, or the second after a bare `go`, `come`, `run`, `help`."""
        verbs = clause.verbs
        if (
            len(verbs) > 1
            and verbs[0].base in ("go", "come", "run", "pop", "hurry", "head", "try", "help", "let", "start", "proceed")
            and verbs[1].index <= verbs[0].index + 3
        ):
            between = range(verbs[0].index + 1, verbs[1].index)
            if not any(self.marked.mention_at(i) for i in between):
                return verbs[1]
        return verbs[0] if verbs else None

    # ---- plain clauses

    def _plain(self, clause: Clause, items: list[Item], lead: bool = False) -> list[Intent]:
        head = self._head(clause)
        parts = self._parts(clause, items)
        seconds = self._seconds(clause)
        if head and head.classes <= {"unsupported"}:
            raise StuckError(unsupported(head.phrase))
        if not items and not seconds:
            return self._bare(clause, head, lead)
        found = self._act(clause, head, parts, seconds)
        for intent in found:
            self._remember(intent)
        return found

    def _seconds(self, clause: Clause) -> float:
        total = 0.0
        for duration in self.marked.durations:
            if duration.start in clause.indexes:
                if duration.seconds is None:
                    raise StuckError(unclear("For how long? Give a number of seconds or minutes."))
                total += duration.seconds
        return total

    def _bare(self, clause: Clause, head: Verb | None, lead: bool) -> list[Intent]:
        """A verb alone: `dock`, `come`, or the empty half of `go and …`."""
        if head is None:
            return []
        if "dock" in head.classes:
            return [Intent("dock")]
        if head.base == "come" or head.phrase == "return":
            return [Intent("go", target=resolve_person(None, "here", self.talk), soft=head.base != "come")]
        if lead or head.base in ("go", "run", "pop", "help", "start", "hurry", "stop", "finish", "end"):
            return []
        if head.base in WAIT_ONLY:
            raise StuckError(unclear("For how long should I wait? Give a number of seconds or minutes."))
        raise StuckError(unclear(f"What should I {head.phrase}?"))

    def _act(self, clause: Clause, head: Verb | None, parts: Parts, seconds: float) -> list[Intent]:
        classes = head.classes if head else frozenset()
        if self._is_dock(head, parts):
            return [Intent("dock"), *self._wait(seconds)]
        if head and "inspect" in classes and self._looks(head, parts):
            return [*self._look(parts), *self._wait(seconds)]
        if parts.objects:
            return [*self._carry(clause, head, parts, seconds), *self._wait(seconds)]
        if parts.targets or parts.routes:
            return [*self._drive(clause, head, parts, seconds), *self._wait(seconds)]
        if seconds:
            return self._wait(seconds)
        raise StuckError(unclear())

    def _wait(self, seconds: float) -> list[Intent]:
        return [Intent("wait", seconds=seconds)] if seconds else []

    def _is_dock(self, head: Verb | None, parts: Parts) -> bool:
        if parts.objects:
            return False
        targets = [t for t in parts.targets if t.mention]
        if any(
            name in self.reading.catalogue.docks
            for t in targets
            for name in (t.mention.candidates if t.mention else ())
        ):
            return len(targets) == 1
        return bool(head) and "dock" in head.classes and not targets  # type: ignore[union-attr]

    # ---- looking

    def _looks(self, head: Verb, parts: Parts) -> bool:
        if head.base == "see":
            return any(i.kind in ("place", "room") for i in [*parts.targets, *parts.sources])
        only = (head.base in LOOK_ONLY and not head.classes & {"move", "give"}) or head.base in (
            "look",
            "check",
            "inspect",
            "examine",
        )
        return only or ("inspect" in head.classes and not head.classes & {"move", "go", "give"})

    def _look(self, parts: Parts) -> list[Intent]:
        where = self._where(parts.sources)
        named = [*parts.objects, *parts.targets, *parts.routes]
        places = [i for i in named if i.kind in ("place", "room", "there")]
        objects = [i for i in parts.objects if i.role not in ("for", "with")]
        if objects:
            where += [self._place(i, ()) for i in places if i.role in ("at", "source")]
            places = [i for i in places if i.role not in ("at", "source")]
        found = [Intent("inspect", target=name) for item in objects for name in self._objects(item, where)]
        found += [Intent("inspect", target=self._place(i, ())) for i in places]
        found += [
            Intent("go", target=resolve_person(i.mention, i.word, self.talk))
            for i in parts.targets
            if i.kind in ("person", "them") and i.role != "for"
        ]
        if not found and parts.sources:
            found = [Intent("inspect", target=self._place(i, ())) for i in parts.sources if i.kind in ("place", "room")]
        if not found:
            raise StuckError(unclear("What should I look at?"))
        return found

    # ---- carrying

    def _carry(self, clause: Clause, head: Verb | None, parts: Parts, seconds: float) -> list[Intent]:
        where = self._where(parts.sources)
        found: list[Intent] = []
        for objects, target in self._pairs(parts):
            names = tuple(name for item in objects for name in self._objects(item, where))
            self.talk.objects = names
            found.append(self._carried(clause, head, names, target, seconds))
            self._remember(found[-1])
        return found

    def _pairs(self, parts: Parts) -> list[tuple[list[Item], Item | None]]:
        """Objects with their targets, in the order of the words; objects without one share the next or last target."""
        pairs: list[tuple[list[Item], Item | None]] = []
        objects: list[Item] = []
        target: Item | None = None
        for item in sorted([*parts.objects, *parts.targets], key=lambda i: i.index):
            if target is not None and item not in parts.objects and _says_again(target, item):
                continue
            complete = bool(objects) and target is not None
            if complete and (item not in parts.objects or objects[-1].index < target.index):  # type: ignore[union-attr]
                pairs.append((objects, target))
                objects, target = [], None
            if item in parts.objects:
                objects.append(item)
            elif target is None:
                target = item
            else:
                raise StuckError(unclear("Where should it go? Name one destination for each thing."))
        if objects:
            pairs.append((objects, target if target is not None or not pairs else pairs[-1][1]))
        elif target is not None:
            raise StuckError(unclear("What should go there?"))
        return pairs

    def _check_inside(self, target: Item, where: Item) -> None:
        """`to Anna in the study`: said of the target, and true."""
        names = where.mention.candidates if where.mention else ()
        person = resolve_person(target.mention, target.word, self.talk) if target.kind != "place" else ""
        if person and not any(is_in(self.talk.location_of(person), name, self.reading.catalogue) for name in names):
            raise StuckError(not_there(person, names[0] if names else where.word))

    def _carried(
        self, clause: Clause, head: Verb | None, names: tuple[str, ...], target: Item | None, seconds: float
    ) -> Intent:
        soft = self._is_soft(clause)
        classes = head.classes if head else frozenset()
        if target is not None and target.kind in ("person", "them", "here"):
            return self._to_person(clause, head, names, target, soft)
        if target is not None:
            place = self._place(target, ())
            if classes and not classes & {"move", "give", "fetch", "pick", "keep", "go", "wait"}:
                raise StuckError(unsupported(head.phrase if head else "do that"))
            if (
                classes
                and not classes & {"move", "give", "fetch"}
                and classes & {"go"}
                and not self._names_object_first(names, target)
            ):
                return Intent("transport", names, place, soft=soft)
            return Intent("transport", names, place, soft=soft)
        return self._without_target(clause, head, names, seconds, soft)

    def _extent(self, clause: Clause) -> range:
        return range(clause.indexes[0], clause.indexes[-1] + 3)

    def _names_object_first(self, names: tuple[str, ...], target: Item) -> bool:
        return target.role == "with"

    def _to_person(self, clause: Clause, head: Verb | None, names: tuple[str, ...], target: Item, soft: bool) -> Intent:
        person = resolve_person(target.mention, target.word, self.talk)
        if (target.role == "beside" and head and "move" in head.classes) or (
            target.role == "at" and head and head.base in _PUTTING
        ):
            return Intent("transport", names, self.reading.catalogue.people[person], soft=soft)
        if head and head.base in ("come", "go", "walk", "drive", "head") and head.classes & {"go"}:
            return Intent("hold", names, person, soft=soft)
        if self._wanted_by(clause, target):
            soft = True
        return Intent("give", names, person, soft=soft)

    def _wanted_by(self, clause: Clause, target: Item) -> bool:
        """`Anna needs the stapler`: the person is the subject."""
        return (
            target.role == ""
            and target.mention is not None
            and all(v.index > target.index for v in clause.verbs)
            and not clause.requested
        )

    def _without_target(
        self, clause: Clause, head: Verb | None, names: tuple[str, ...], seconds: float, soft: bool
    ) -> Intent:
        classes = head.classes if head else frozenset()
        joined = f" {' '.join(self.marked.word(i) for i in clause.indexes)} "
        wish = WISHES.search(joined)
        if clause.kind == "fragment" and any(self.marked.word(i) in PLEASE for i in self._extent(clause)):
            return Intent("give", names, SPEAKER, soft=True)
        if clause.kind == "fragment":
            return Intent("topic", names, incomplete="What should I do with it?")
        if wish and not classes - {"inspect", "go", "give", "fetch", "pick", "move"}:
            return Intent("give", names, SPEAKER, soft=True)
        if head and (
            head.phrase
            in (
                "pick up",
                "hold",
                "hold on to",
                "hang on to",
                "keep hold of",
                "get hold of",
                "take hold of",
                "lift",
                "lift up",
                "grip",
                "grasp",
                "keep",
            )
            or "keep" in classes
        ):
            return Intent("hold", names)
        if (head and head.base == "put" and "down" in head.phrase) or (
            head and head.phrase in ("drop", "set down") and self.talk.holding
        ):
            return Intent("putdown", names, incomplete=NO_PLACE)
        if "fetch" in classes or ("give" in classes and head and head.base in ("bring", "deliver")):
            return Intent("give", names, SPEAKER, implied=True)
        if "pick" in classes:
            return Intent("hold", names)
        if soft or not classes & {"give"}:
            return Intent("transport", names, soft=True, incomplete=NO_PLACE)
        return Intent("give", names, soft=soft, incomplete="Who should get it?")

    def _is_soft(self, clause: Clause) -> bool:
        joined = f" {' '.join(self.marked.word(i) for i in clause.indexes)} "
        return bool(WISHES.search(joined)) or (
            not clause.requested and bool(clause.indexes) and self.marked.mention_at(clause.indexes[0]) is not None
        )

    # ---- driving

    def _drive(self, clause: Clause, head: Verb | None, parts: Parts, seconds: float) -> list[Intent]:
        classes = head.classes if head else frozenset()
        if clause.kind == "fragment" and self.last is not None:
            carried = self._continue(parts)
            if carried:
                return carried
        if classes and not classes & {"go", "wait", "dock", "inspect"}:
            if self.talk.holding and classes & {"move", "give"}:
                return [self._hand_on(parts.targets[0])]
            raise StuckError(self._not_carried(head, parts))
        if not seconds and head and head.base in WAIT_ONLY and "wait" in classes:
            raise StuckError(unclear("For how long should I wait? Give a number of seconds or minutes."))
        where = self._where(parts.sources)
        stops = [*parts.routes, *parts.targets]
        if seconds and self.last is not None and [i.kind for i in stops] == ["there"]:
            return []
        if head and any(item.role == "" and not self._takes_object(head, item) for item in stops):
            raise StuckError(self._not_carried(head, parts))
        return [Intent("go", target=self._goal(item, where)) for item in stops]

    def _not_carried(self, head: Verb | None, parts: Parts) -> Problem:
        """Furniture and people are not carried."""
        direct = next((i for i in parts.targets if i.role == "" and i.mention is not None), None)
        phrase = self.text.slice(direct.mention.phrase_start, direct.end) if direct and direct.mention else ""
        if head and phrase:
            return unsupported(f"{head.phrase} {phrase}")
        return unclear("What should I take there?")

    def _takes_object(self, head: Verb, item: Item) -> bool:
        """`visit Ben`, `go home`, `go kitchen`; but neither `move the kitchen table` nor `run Ben`."""
        if item.kind in ("here", "there"):
            return True
        if item.kind in ("person", "them"):
            return head.base in _VISITING or head.phrase in (
                "check on",
                "look after",
                "check in on",
                "look in on",
                "call by",
                "call on",
                "go see",
                "come find",
                "come see",
            )
        return (
            head.base in _VISITING
            or head.base in ("go", "come", "head", "start", "finish", "end", "enter", "stop", "wait", "stay")
            or bool(set(head.phrase.split()[1:]))
        )

    def _hand_on(self, target: Item) -> Intent:
        held = (self.talk.holding or "",)
        if target.kind in ("person", "them", "here"):
            return Intent("give", held, resolve_person(target.mention, target.word, self.talk))
        return Intent("transport", held, self._place(target, ()))

    def _continue(self, parts: Parts) -> list[Intent]:
        """A fragment goes on with the verb before it: `then the study`; or it places the thing just named alone."""
        last = self.last
        if last is None:
            return []
        if last.kind == "topic" and len(parts.targets) == 1:
            last.incomplete, last.soft, last.kind = "", True, "transport"
            item = parts.targets[0]
            if item.kind in ("person", "them", "here"):
                return [Intent("give", last.objects, resolve_person(item.mention, item.word, self.talk))]
            return [Intent("transport", last.objects, self._place(item, ()))]
        if last.kind == "inspect":
            return [Intent("inspect", target=self._place(i, ())) for i in parts.targets if i.kind in ("place", "room")]
        return []

    def _goal(self, item: Item, where: list[str]) -> str:
        if item.kind in ("person", "them", "here"):
            return resolve_person(item.mention, item.word, self.talk)
        return self._place(item, where)

    # ---- names

    def _where(self, sources: list[Item]) -> list[str]:
        """Names that the objects must be at: every source, a person's place for a person."""
        found: list[str] = []
        for item in sources:
            if item.kind == "person":
                found.append(resolve_person(item.mention, item.word, self.talk))
            elif item.mention is not None and item.mention.strange:
                raise StuckError(unknown(item.mention.strange, self.reading.catalogue, "place"))
            elif item.mention is not None:
                found += item.mention.candidates
            elif item.kind == "there" and self.talk.place:
                found.append(self.talk.place)
        return found

    def _objects(self, item: Item, where: list[str]) -> tuple[str, ...]:
        if item.mention is not None:
            return resolve_objects(item.mention, where, self.excluded, self.talk, self.text)
        if not self.talk.objects:
            raise StuckError(unclear(f"I do not know what `{item.word}` is; name the thing."))
        if item.word == "it" and len(self.talk.objects) > 1:
            raise StuckError(which(self.talk.objects))
        return self.talk.objects

    def _place(self, item: Item, where: list[str] | tuple[str, ...]) -> str:
        if item.kind == "here":
            return self.reading.catalogue.people[resolve_person(None, "here", self.talk)]
        if item.mention is None:
            if not self.talk.place:
                raise StuckError(unclear("I do not know which place you mean; name it."))
            return self.talk.place
        if item.kind == "object":
            found = self._objects(item, [])
            if len(found) > 1 or not self.talk.location_of(found[0]):
                raise StuckError(unclear(NO_PLACE))
            return self.talk.location_of(found[0])
        narrowing = [*where, *self._room_after(item)]
        return resolve_place(item.mention, narrowing, self.talk, self.text)

    def _room_after(self, item: Item) -> list[str]:
        """`the table in the living room`: the room right after a place narrows it."""
        for mention in self.marked.mentions:
            if item.mention and mention.kind in ("room", "person") and 0 < mention.phrase_start - item.end <= 2:
                between = [self.marked.word(i) for i in range(item.end, mention.phrase_start)]
                if (
                    between
                    and set(between) <= {"in", "of", "at", "inside", "by", "next", "to", "where", "near"}
                    and between[0] in ("in", "of", "inside")
                    and item.kind == "place"
                ):
                    return list(mention.candidates)
        return []

    # ---- memory

    def _remember(self, intent: Intent) -> None:
        catalogue = self.reading.catalogue
        self.last = intent
        self.talk.used |= set(intent.objects)
        if intent.objects:
            self.talk.objects = intent.objects
        elif intent.kind == "inspect" and intent.target in catalogue.objects:
            self.talk.objects = (intent.target,)
        if intent.target in catalogue.people:
            self.talk.person = intent.target if intent.target != SPEAKER else self.talk.person
            self.talk.place = catalogue.people[intent.target]
        if intent.target in catalogue.places or intent.target in catalogue.rooms:
            self.talk.place = intent.target
        self._move(intent)

    def _move(self, intent: Intent) -> None:
        if intent.soft or intent.incomplete:
            return
        if intent.kind == "hold":
            self.talk.holding = intent.objects[0]
        elif intent.kind in ("transport", "give"):
            self.talk.holding = None
            for name in intent.objects:
                if intent.kind == "transport" and intent.target in self.reading.catalogue.places:
                    self.talk.object_at[name] = intent.target
