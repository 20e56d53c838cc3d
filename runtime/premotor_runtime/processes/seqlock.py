"""A slot of shared memory with one writer and any readers, guarded by a sequence word and a checksum. No lock.

The writer makes the sequence odd, stores check word and payload, makes the sequence even. A reader takes the sequence,
the payload, and the sequence again; it believes the payload only when both were the same even number and the check
word, made of that number and the CRC-32 of the payload, agrees.

Why that holds: the two guard words are aligned 8-byte stores and loads, which neither x86-64 nor aarch64 splits; the
payload may be copied in any pieces. x86-64 keeps stores in order and loads in order, so equal even sequences already
mean a whole payload. aarch64 may let a payload be seen before or after its sequence; such a mixture has a check word
that does not belong to it (but for one in 2^32 of the mixtures), and is counted as torn and read again. Nothing else is
assumed of the memory, and nobody waits: a writer that is killed or stopped in the middle of a write leaves readers with
their last good value and a flag.
"""

from __future__ import annotations

import zlib
from typing import NamedTuple

from premotor_runtime.processes.layout import GUARD_WORDS, WORD, Place

ATTEMPTS = 32
"""Reads before a reader gives up; a write takes a few microseconds, a read about one."""
_LOW = 0xFFFF_FFFF
_MOST = (1 << 62) - 2
"""Sequences go round long before a word is full; at a write a microsecond, after 70,000 years."""


class Reading(NamedTuple):
    """The newest whole payload and its sequence (0: nothing was ever written, all zero).

    `fresh` is False when the slot could not be read now and this is what was read before.
    """

    payload: bytes
    sequence: int
    fresh: bool


def _check(sequence: int, payload: bytes | memoryview) -> int:
    return (sequence & _LOW) << 32 | zlib.crc32(payload)


class SlotWriter:
    """The only writer of a slot. It takes up where another, perhaps killed in the middle of a write, left off."""

    def __init__(self, board: memoryview, place: Place) -> None:
        self._words = board[place.offset : place.offset + GUARD_WORDS * WORD].cast("Q")
        start = place.offset + GUARD_WORDS * WORD
        self._payload = board[start : start + place.payload_bytes].cast("Q")
        self._sequence = (self._words[0] + 1) & _MOST

    def write(self, words: memoryview) -> None:
        """Publish `words` (format "Q", no more than the slot has); what lies behind them stays."""
        sequence = self._sequence + 2
        self._words[0] = sequence - 1
        self._payload[: len(words)] = words
        self._words[1] = _check(sequence, self._payload)
        self._words[0] = sequence
        self._sequence = sequence

    def release(self) -> None:
        """Let go of the memory."""
        self._words.release()
        self._payload.release()


class SlotReader:
    """A reader; keeps the last good payload, and counts what it had to read again and where it gave up."""

    def __init__(self, board: memoryview, place: Place) -> None:
        self._words = board[place.offset : place.offset + GUARD_WORDS * WORD].cast("Q")
        start = place.offset + GUARD_WORDS * WORD
        self._payload = board[start : start + place.payload_bytes]
        self._last = Reading(bytes(place.payload_bytes), 0, True)
        self.torn = 0
        self.given_up = 0

    def read(self) -> Reading:
        """The newest payload; never waits, never raises. Costs nothing more while nothing new was written."""
        for _ in range(ATTEMPTS):
            sequence = self._words[0]
            if sequence == self._last.sequence:
                return self._last
            if not sequence & 1:
                check, payload = self._words[1], bytes(self._payload)
                if self._words[0] == sequence and check == _check(sequence, payload):
                    self._last = Reading(payload, sequence, True)
                    return self._last
            self.torn += 1
        self.given_up += 1
        return self._last._replace(fresh=False)

    def release(self) -> None:
        """Let go of the memory."""
        self._words.release()
        self._payload.release()
