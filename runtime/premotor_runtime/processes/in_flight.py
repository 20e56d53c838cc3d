"""The brain's step in flight: what the reflex, on a shared lane, may be waiting for."""

from __future__ import annotations

import struct
from array import array
from typing import NamedTuple

from premotor_runtime.processes.layout import STEP_WORDS, BoardLayout
from premotor_runtime.processes.seqlock import SlotReader, SlotWriter

_PAYLOAD = struct.Struct(f"={STEP_WORDS}Q")
_FREE = (1 << 64) - 1


class StepInFlight(NamedTuple):
    """Step `number`, begun at `started_ns`, allowed `budget_ns` (None: as long as it takes)."""

    number: int
    started_ns: int
    budget_ns: int | None


class StepWriter:
    """The brain's end."""

    def __init__(self, board: memoryview, layout: BoardLayout) -> None:
        self._slot = SlotWriter(board, layout.step)
        self._words = memoryview(array("Q", bytes(STEP_WORDS * 8)))

    def begin(self, now_ns: int, budget_s: float | None) -> None:
        """A step is about to start."""
        words = self._words
        words[0] += 1
        words[1] = max(1, now_ns)
        words[2] = _FREE if budget_s is None else max(0, int(budget_s * 1e9))
        self._slot.write(words)

    def end(self) -> None:
        """It has returned."""
        self._words[1] = 0
        self._slot.write(self._words)

    def release(self) -> None:
        """Let go of the board."""
        self._slot.release()


class StepReader:
    """The reflex's end."""

    def __init__(self, board: memoryview, layout: BoardLayout) -> None:
        self.slot = SlotReader(board, layout.step)

    def read(self) -> StepInFlight | None:
        """The step that runs, or None."""
        number, started, budget = _PAYLOAD.unpack(self.slot.read().payload)
        return StepInFlight(number, started, None if budget == _FREE else budget) if started else None

    def release(self) -> None:
        """Let go of the board."""
        self.slot.release()
