"""Signs of life of a process: a counter that its own main loop advances, so that a loop that hangs falls silent."""

from __future__ import annotations

import struct
from array import array
from enum import IntEnum
from typing import NamedTuple

from premotor_runtime.processes.layout import BEAT_WORDS, BoardLayout
from premotor_runtime.processes.seqlock import SlotReader, SlotWriter

_PAYLOAD = struct.Struct(f"={BEAT_WORDS}Q")


class Phase(IntEnum):
    """What the process is at; in `STARTING` it loads, and its silence is judged by another limit."""

    STARTING = 0
    SERVING = 1


class Beat(NamedTuple):
    """`counter` beats of process `pid`, the last at `at_ns` (CLOCK_MONOTONIC). All zero: it never beat."""

    counter: int
    at_ns: int
    pid: int
    phase: Phase


class HeartbeatWriter:
    """The end of the process that lives."""

    def __init__(self, board: memoryview, layout: BoardLayout, process: str, pid: int) -> None:
        self._slot = SlotWriter(board, layout.beat(process))
        self._words = memoryview(array("Q", bytes(BEAT_WORDS * 8)))
        self._words[2] = pid

    def beat(self, now_ns: int, phase: Phase = Phase.SERVING) -> None:
        """Once a period, a step, an idle wait."""
        words = self._words
        words[0] += 1
        words[1] = max(0, now_ns)
        words[3] = phase
        self._slot.write(words)

    def release(self) -> None:
        """Let go of the board."""
        self._slot.release()


class HeartbeatReader:
    """The end of whoever watches."""

    def __init__(self, board: memoryview, layout: BoardLayout, process: str) -> None:
        self.slot = SlotReader(board, layout.beat(process))

    def read(self) -> Beat:
        """The newest readable; a process that was killed while it wrote simply beats no more."""
        counter, at_ns, pid, phase = _PAYLOAD.unpack(self.slot.read().payload)
        return Beat(counter, at_ns, pid, Phase(phase))

    def release(self) -> None:
        """Let go of the board."""
        self.slot.release()
