"""From clauses to intents: which verb, which objects, where to, decided by roles rather than by word order."""

from __future__ import annotations

from collections.abc import Sequence

from premotor_planners.task.lexicon.syntax import is_in
from premotor_planners.task.outcome import unclear, unknown, unsupported
from premotor_planners.task.reading.clauses import Clause, Verb
from premotor_planners.task.reading.messages import EVERYONE, ME, THEM, Message
from premotor_planners.task.reading.reading import Reading
from premotor_planners.task.reading.roles import Item, clause_items
from premotor_planners.task.rules.carrying import carry
from premotor_planners.task.rules.driving import drive
from premotor_planners.task.rules.intents import Intent
from premotor_planners.task.rules.looking import is_looking, look
from premotor_planners.task.rules.parts import Parts, head_of, parts_of
from premotor_planners.task.rules.resolve import StuckError, resolve_objects, resolve_person
from premotor_planners.task.rules.scene import HOW_LONG, Scene


class Interpreter:
    """Reads clause after clause; the scene carries antecedents from one to the next."""

    def __init__(self, reading: Reading) -> None:
        self.scene = Scene(reading)

    def clause(self, clause: Clause) -> list[Intent]:
        """The intents of one clause; background only leaves antecedents. Raises StuckError."""
        items = clause_items(clause, self.scene.marked)
        self._note_owner(clause)
        self.scene.excluded = _excluded(items) if clause.asks else frozenset()
        if not clause.asks:
            self._note_background(items if clause.kind != "negative" or clause.verbs else ())
            return []
        before = self._before_speech(clause, items) if clause.messages else self._plain(clause, items)
        return [*before, *(intent for message in clause.messages for intent in self._say(message))]

    # ---- what is only said

    def _note_owner(self, clause: Clause) -> None:
        """`Anna's eyes hurt, take her …`: an owner can be meant by a later pronoun."""
        marked = self.scene.marked
        for mention in marked.mentions:
            owner = mention.start in clause.indexes and marked.possessive(mention.end - 1)
            if owner and mention.kind == "person" and len(mention.candidates) == 1:
                self.scene.talk.person = mention.candidates[0]

    def _note_background(self, items: Sequence[Item]) -> None:
        """Antecedents; a stated location that does not hold is no reason to stop, for nothing is asked yet."""
        talk = self.scene.talk
        for item in items:
            if item.mention is None or item.mention.strange:
                continue
            if item.kind == "object":
                self._note_object(item, items)
            elif item.kind == "person" and len(item.mention.candidates) == 1:
                talk.person = item.mention.candidates[0]
            elif len(item.mention.candidates) == 1:
                talk.place = item.mention.candidates[0]

    def _note_object(self, item: Item, items: Sequence[Item]) -> None:
        spots = [o.mention for o in items if o.kind in ("place", "room") and o.role in ("at", "source")]
        where = [mention.candidates[0] for mention in spots if mention]
        assert item.mention is not None
        talk = self.scene.talk
        try:
            talk.objects = resolve_objects(item.mention, where, frozenset(), talk, self.scene.text)
        except StuckError:
            talk.objects = item.mention.candidates

    # ---- messages

    def _before_speech(self, clause: Clause, items: Sequence[Item]) -> list[Intent]:
        """The bare `go and …` before a message, or words that belong to it."""
        return self._plain(clause, items) if items else []

    def _say(self, message: Message) -> list[Intent]:
        hearer = self._hearer(message)
        there = [Intent("go", target=message.location)] if message.location and not hearer else []
        more = [Intent("say", target=name, text=message.text) for name in message.also]
        return [*there, Intent("say", target=hearer, text=message.text), *more]

    def _hearer(self, message: Message) -> str:
        """The person to go to; empty to speak where the robot stands."""
        if message.hearer in ME:
            raise StuckError(unsupported("tell you that"))
        if not message.known:
            raise StuckError(unknown(message.hearer, self.scene.catalogue, "person"))
        if message.hearer in THEM:
            return resolve_person(None, message.hearer, self.scene.talk)
        if not message.hearer or message.hearer in EVERYONE:
            return ""
        self.scene.talk.person = message.hearer
        return message.hearer

    # ---- plain clauses

    def _plain(self, clause: Clause, items: Sequence[Item]) -> list[Intent]:
        head = head_of(clause, self.scene)
        if head and head.classes <= {"unsupported"}:
            raise StuckError(unsupported(head.phrase))
        parts, seconds = parts_of(items, head, self.scene), self._seconds(clause)
        if not items and not seconds:
            return self._bare(head)
        found = [*self._act(clause, head, parts, seconds)]
        found += [Intent("wait", seconds=seconds)] if seconds else []
        for intent in found:
            self.scene.remember(intent)
        return found

    def _seconds(self, clause: Clause) -> float:
        total = 0.0
        for duration in self.scene.marked.durations:
            if duration.start in clause.indexes and duration.seconds is None:
                raise StuckError(unclear("For how long? Give a number of seconds or minutes."))
            total += (duration.seconds or 0.0) if duration.start in clause.indexes else 0.0
        return total

    def _bare(self, head: Verb | None) -> list[Intent]:
        """A verb alone: `dock`, `come`, or the empty half of `go and …`."""
        if head and "inspect" in head.classes and is_in(head.base, "looking") and self.scene.talk.place:
            return [Intent("inspect", target=self.scene.talk.place)]
        if head is None or is_in(head.base, "bare_motion"):
            return [Intent("dock")] if head and "dock" in head.classes else []
        if "dock" in head.classes:
            return [Intent("dock")]
        if head.base == "come" or head.phrase == "return":
            here = resolve_person(None, "here", self.scene.talk)
            return [Intent("go", target=here, soft=head.base != "come")]
        raise StuckError(unclear(HOW_LONG if is_in(head.base, "waiting") else f"What should I {head.phrase}?"))

    def _act(self, clause: Clause, head: Verb | None, parts: Parts, seconds: float) -> list[Intent]:
        if self._is_dock(head, parts):
            return [Intent("dock")]
        if is_looking(head, parts):
            return look(parts, self.scene)
        if parts.objects:
            return carry(clause, head, parts, self.scene)
        if parts.targets or parts.routes:
            return drive(clause, head, parts, seconds, self.scene)
        if seconds:
            return []
        raise StuckError(unclear())

    def _is_dock(self, head: Verb | None, parts: Parts) -> bool:
        """A verb of charging without another target, or a drive to the charging station."""
        targets = [item.mention for item in parts.targets if item.mention]
        if parts.objects:
            return False
        if any(name in self.scene.catalogue.docks for mention in targets for name in mention.candidates):
            return len(targets) == 1
        return head is not None and "dock" in head.classes and not targets


def _excluded(items: Sequence[Item]) -> frozenset[str]:
    negated = [item.mention for item in items if item.negated and item.kind == "object" and item.mention]
    return frozenset(name for mention in negated if len(mention.candidates) == 1 for name in mention.candidates)
