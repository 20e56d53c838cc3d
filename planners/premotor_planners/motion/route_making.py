"""A route that is being made: in pieces of the control loop's own periods, or on a thread beside it."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError
from typing import Protocol, TypeAlias

from premotor_planners.motion.route import Route
from premotor_planners.planning.outcome import PlanCancelled, PlanFailure
from premotor_planners.planning.stopping import Cancel

Found: TypeAlias = Route | PlanFailure | PlanCancelled
Pieces: TypeAlias = Generator[None, None, Found]
"""The making itself: it yields after each piece but the last."""
_LOOK_S = 0.001
"""How long a look at a route that is made beside the control loop may take."""


class Routing(Protocol):
    """One request for a route."""

    def advance(self) -> Found | None:
        """A bounded piece of the work, or a look at it; None while there is more to do."""
        ...

    def give_up(self) -> None:
        """The route is no longer wanted: what comes of it is PlanCancelled, if it is not made already."""
        ...


class InPieces:
    """Satisfies `Routing`: each `advance` does a piece."""

    def __init__(self, pieces: Pieces, cancel: Cancel) -> None:
        self._pieces, self._cancel = pieces, cancel
        self._found: Found | None = None

    def advance(self) -> Found | None:
        """See `Routing.advance`."""
        if self._found is None:
            try:
                next(self._pieces)
            except StopIteration as ended:
                self._found = ended.value
        return self._found

    def give_up(self) -> None:
        """See `Routing.give_up`."""
        self._cancel.set()


class Beside:
    """Satisfies `Routing`: `worker` does all of it from the first `advance` on."""

    def __init__(self, worker: ThreadPoolExecutor, pieces: Pieces, cancel: Cancel) -> None:
        self._worker, self._pieces, self._cancel = worker, pieces, cancel
        self._future: Future[Found] | None = None

    def advance(self) -> Found | None:
        """See `Routing.advance`."""
        if self._future is None:
            self._future = self._worker.submit(made, self._pieces)
        try:
            return self._future.result(_LOOK_S)
        except TimeoutError:
            return None

    def give_up(self) -> None:
        """See `Routing.give_up`."""
        self._cancel.set()


def made(pieces: Pieces) -> Found:
    """All of it at once."""
    while True:
        try:
            next(pieces)
        except StopIteration as ended:
            found: Found = ended.value
            return found
