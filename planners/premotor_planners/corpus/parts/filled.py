"""What stands in the slots of a template, and what it means."""

from __future__ import annotations

from dataclasses import dataclass, field

from premotor_planners.corpus.references.reference import Reference, Unsuited
from premotor_planners.task.answers.answer import Answer, RefusalAnswer


@dataclass
class Filled:
    """The drawn `references` and other `words` by slot; `problem` when one of them means nothing or too much.

    `family`: the names that a plural means; `message`: what is to be said; `seconds`: how long to wait.
    """

    references: dict[str, Reference] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    problem: Answer | None = None
    literals: tuple[str, ...] = ()
    message: str = ""
    seconds: float = 0.0
    family: tuple[str, ...] = ()

    def name(self, slot: str) -> str:
        """The catalogue name that the slot means, or ""."""
        return self.references[slot].name if slot in self.references else ""

    def put(self, slot: str, reference: Reference) -> None:
        """Fill a slot, and take over the problem of the reference."""
        self.references[slot] = reference
        if reference.problem is not None:
            unknown = isinstance(reference.problem, RefusalAnswer)
            self.fail(reference.problem, (reference.bare,) if unknown else ())

    def fail(self, problem: Answer, literals: tuple[str, ...] = ()) -> None:
        """The clause cannot be done. Raises Unsuited if that was so already: a clause has one right answer."""
        if self.problem is not None:
            raise Unsuited
        self.problem = problem
        self.literals += literals
