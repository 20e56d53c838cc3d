"""The one entry that a reference means, or the refusal or question that it leads to."""

from __future__ import annotations

from premotor_planners.task.answers.answer import MAX_CANDIDATES, Answer, AskAnswer, RefusalAnswer
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.phrasebook.aliases import Option, best, those_at
from premotor_planners.task.phrasebook.references import Reference
from premotor_planners.task.reading.naming import SPEAKER


class Senseless(Exception):
    """The clauses cannot be meant like this, or it is not plain what they mean."""


class Trouble(Exception):
    """A clause that is answered with a refusal or a question."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self.answer = answer


class Settler:
    """Settles references in one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def one(self, reference: Reference, source: Reference | None = None) -> str:
        """The name meant, of what is at `source` if that is said.

        Raises Trouble for what is not there, not at the source, or one of several; Senseless where that is not plain.
        """
        if not reference.options:
            raise Trouble(RefusalAnswer("unknown", reference.what))
        kept = self._within(reference.options, reference.where)
        if source is not None:
            kept = self._taken_from(kept, source)
        if not kept:
            raise Trouble(RefusalAnswer("unknown", reference.what))
        names = self._present(best(kept))
        if len(names) == 1 or not reference.definite:
            return names[0]
        if len(names) > MAX_CANDIDATES or len({self._kind(name) for name in names}) > 1:
            raise Senseless
        raise Trouble(AskAnswer(names))

    def all(self, reference: Reference, both: bool) -> tuple[str, ...]:
        """Every object meant, in catalogue order. Raises Senseless for one alone, and for "both" of more than two."""
        names = best(reference.options)
        if len(names) < 2 or (both and len(names) > 2):
            raise Senseless
        return tuple(name for name in self.catalogue.objects if name in names)

    def _taken_from(self, options: tuple[Option, ...], source: Reference) -> tuple[Option, ...]:
        if not source.options:
            raise Trouble(RefusalAnswer("unknown", source.what))
        spots = self._within(source.options, source.where)
        if not spots:
            raise Senseless
        return self._within(options, spots)

    def _present(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Without the thing in the gripper; someone who speaks must be there."""
        left = tuple(name for name in names if name != self.catalogue.holding)
        if not left:
            raise Senseless
        if SPEAKER in left and SPEAKER not in self.catalogue.people:
            raise Trouble(RefusalAnswer("unknown", "me"))
        return left

    def _within(self, options: tuple[Option, ...], where: tuple[Option, ...] | None) -> tuple[Option, ...]:
        return options if where is None else those_at(options, where, self.catalogue)

    def _kind(self, name: str) -> str:
        if name in self.catalogue.docks:
            return "dock"
        kinds = {"thing": self.catalogue.objects, "place": self.catalogue.places, "room": self.catalogue.rooms}
        return next((kind for kind, names in kinds.items() if name in names), "person")
