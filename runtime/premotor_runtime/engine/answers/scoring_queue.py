"""Ended requests whose full log probabilities are still to be found, a part a step, within the time left."""

from __future__ import annotations

from collections.abc import Callable

from premotor_runtime.engine.answers.scoring import Scoring
from premotor_runtime.engine.cost.step_cost import StepCost
from premotor_runtime.engine.sequence import Sequence
from premotor_runtime.runners.protocol import ModelRunner


class ScoringQueue:
    """First ended, first scored. `spent_s` is what it took since `begin`; `deferred` are those that had no time."""

    def __init__(self, runner: ModelRunner, cost: StepCost, clock: Callable[[], float]) -> None:
        self._runner = runner
        self._cost = cost
        self._clock = clock
        self._entries: list[tuple[Sequence, Scoring]] = []
        self.spent_s = 0.0
        self.deferred: tuple[str, ...] = ()

    def put(self, sequence: Sequence) -> None:
        """Score `sequence` after the others."""
        self._entries.append((sequence, Scoring(sequence, self._runner)))

    def drop(self, sequence: Sequence) -> None:
        """Forget `sequence`; others are left alone."""
        if self._entries:
            self._entries = [entry for entry in self._entries if entry[0] is not sequence]

    def done(self) -> list[Sequence]:
        """Those whose scores are complete."""
        return [sequence for sequence, scoring in self._entries if scoring.done]

    def begin(self, rows: int, ends_by: float | None) -> int:
        """Start a step: scoring goes before everything else when the last step had no time for it."""
        used = self.advance(rows, ends_by) if self.deferred else 0
        self.spent_s = 0.0
        return used

    def advance(self, rows: int, ends_by: float | None) -> int:
        """Go through at most `rows` rows, or as many as there is time for; returns how many."""
        used, self.deferred = 0, ()
        if not self._entries or rows <= 0:
            return 0
        for sequence, scoring in self._entries:
            if scoring.done:
                continue
            started = self._clock()
            positions = len(sequence.hidden)
            count = rows - used
            if ends_by is not None:
                count = self._cost.rows_within(count, positions, ends_by - started)
            if count <= 0:
                break
            taken = scoring.advance(count)
            used += taken
            seconds = self._clock() - started
            self.spent_s += seconds
            self._cost.learn_scoring(taken, positions, seconds)
        if not used:
            self.deferred = tuple(sequence.key for sequence, scoring in self._entries if not scoring.done)
        return used
