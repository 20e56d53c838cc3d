"""A lane of a device that works in order: what was started first ends first, with a bounded number in flight."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from premotor_accelerators.errors import LaneFull
from premotor_accelerators.protocol import Arrays

IN_FLIGHT = 2
"""Of a DLA core: one computing, one queued behind it, so that the core does not idle between two."""


class Submittable(Protocol):
    """An executable that can be started and waited for apart."""

    @property
    def slots(self) -> int:
        """How many of its runs may be in flight."""
        ...

    def start(self, inputs: Arrays, slot: int) -> None:
        """Submit a run."""
        ...

    def ready(self, slot: int) -> bool:
        """Whether that run has ended."""
        ...

    def finish(self, outputs: dict[str, NDArray[Any]], slot: int) -> None:
        """Wait for it and fill `outputs`."""
        ...


@dataclass(frozen=True)
class Submission:
    """A run in flight on its lane; compare by identity."""

    executable: Submittable
    slot: int
    number: int


class FifoLane:
    """One core. Not to be used from two threads at once: a lane belongs to the loop that feeds it."""

    def __init__(self, name: str, in_flight: int = IN_FLIGHT) -> None:
        if in_flight < 1:
            raise ValueError(f"in_flight is {in_flight}; it must be at least 1")
        self.name = name
        self._most = in_flight
        self._flying: deque[Submission] = deque()
        self._started = 0

    def __len__(self) -> int:
        return len(self._flying)

    @property
    def free(self) -> bool:
        """Whether `submit` would take another run now."""
        return len(self._flying) < self._most

    def submit(self, executable: Submittable, inputs: Arrays) -> Submission:
        """Start a run behind those in flight. Raises LaneFull when there are as many as the lane takes."""
        slot = self._free_slot(executable)
        if not self.free or slot is None:
            raise LaneFull(
                f"lane {self.name}: {len(self._flying)} runs are in flight, it takes {self._most} (and this kernel "
                f"{executable.slots}); take the oldest result first"
            )
        executable.start(inputs, slot)
        self._started += 1
        submission = Submission(executable, slot, self._started)
        self._flying.append(submission)
        return submission

    def oldest_ready(self) -> bool:
        """Whether `take` would not wait."""
        return bool(self._flying) and self._flying[0].executable.ready(self._flying[0].slot)

    def take(self, outputs: dict[str, NDArray[Any]]) -> Submission:
        """Wait for the oldest run and fill `outputs` with its results. Raises IndexError when nothing is in flight.

        A run that failed is out of flight too.
        """
        submission = self._flying.popleft()
        submission.executable.finish(outputs, submission.slot)
        return submission

    def _free_slot(self, executable: Submittable) -> int | None:
        used = {flying.slot for flying in self._flying if flying.executable is executable}
        return next((slot for slot in range(executable.slots) if slot not in used), None)
