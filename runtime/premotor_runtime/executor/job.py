"""A job: one release of a computation on a lane, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

Criticality = Literal["hard", "firm", "soft", "best_effort"]
Value = TypeVar("Value")


@dataclass(frozen=True)
class Job:
    """All times in seconds on the executor's clock; the result is wanted by `deadline_s`."""

    name: str
    lane: str
    release_s: float
    deadline_s: float
    criticality: Criticality


@dataclass(frozen=True)
class Outcome(Generic[Value]):
    """What a job came to by its deadline. A miss is a value: `value` is then None and `missed` True.

    `finished_s` is None while the computation still ran at the deadline; its late result is dropped. A computation
    that raised has no value either: it counts as missed, and `error` holds the sentence.
    """

    job: Job
    started_s: float
    finished_s: float | None
    value: Value | None
    error: str = ""

    @property
    def missed(self) -> bool:
        """Whether no value was there in time."""
        return bool(self.error) or self.finished_s is None or self.finished_s > self.job.deadline_s
