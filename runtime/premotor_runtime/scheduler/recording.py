"""Everything that happens, as records of 24 bytes in a ring of pages; a page begins with what the scheduler knew."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

RECORD = struct.Struct("<qqIHBB")
PAGE_RECORDS = 8192
PAGES = 16
_RESERVE = 1024
_RECORD_SIZE = RECORD.size
_FULL = PAGE_RECORDS * RECORD.size
_SIZE = _FULL + _RESERVE * RECORD.size
_pack = RECORD.pack_into
NOBODY = 0xFFFF
NOWHERE = 0xFF


class Kind(IntEnum):
    """What a record says; those up to `HALT` come from outside, and the rest follows from them.

    In brackets: what `who`, `job`, `lane` and `value` are where they mean something.
    """

    WAKE = 0  # the clock
    ARRIVE = 1  # an input (task)
    ENDED = 2  # the oldest submission (lane; value: 1 when it did something, and did not fail)
    OFFER = 3  # a stream has work or none (stream; value: 1 or 0)
    SWITCH = 4  # to another admitted plan (value: its number)
    CLOCK_BACK = 5  # (value: nanoseconds)
    HALT = 6  # no plan is admitted in the state of the machine, or one is again (value: 1 or 0)
    RELEASE = 16  # (task, job; value: arrival)
    START = 17  # submission of a segment (task, job, lane; value: stage << 16 | segment)
    FINISH = 18  # of a segment (as START)
    DONE = 19  # (task, job; value: response time)
    MISS = 20  # (task, job; value: deadline)
    DROP = 21  # what was left of a late job (task, job)
    SKIP = 22  # releases that passed unseen (task; job: the first; value: how many)
    STEP = 23  # submission of a step (stream, lane; value: budget, -1 none)
    STEPPED = 24  # (as STEP)
    DEGRADE = 25  # (task; value: level)
    VERDICT = 26  # (task, job; value: place in miss_ladder.ACTIONS)
    WATCHDOG = 27  # (lane; value: the limit that passed)


LAST_INPUT = Kind.HALT


class Record(NamedTuple):
    """See `Kind`."""

    at_ns: int
    value: int
    job: int
    who: int
    lane: int
    kind: int


class Page:
    """Some records, and the scheduler's state (JSON) before the first of them."""

    def __init__(self) -> None:
        self.state = b""
        self.size = 0
        self.room = bytearray((PAGE_RECORDS + _RESERVE) * RECORD.size)

    @property
    def data(self) -> bytes:
        """The records as bytes."""
        return bytes(self.room[: self.size])


class Ring:
    """Keeps the newest pages. Memory is taken once; nothing grows, nothing is written to a disk."""

    def __init__(self, pages: int = PAGES) -> None:
        self._pages = [Page() for _ in range(max(2, pages))]
        self._at = 0
        self._room, self._size = self._pages[0].room, 0
        self._turned = 0
        self.lost = 0

    @property
    def full(self) -> bool:
        """Whether `turn` is due before the next input: no page is begun, or it is full but for its reserve."""
        return self._size >= _FULL or not self._turned

    def turn(self, state: object) -> None:
        """Begin the next page, with the `state` before its first record."""
        if self._turned:
            self._pages[self._at].size = self._size
            self._at = (self._at + 1) % len(self._pages)
        self._turned += 1
        page = self._pages[self._at]
        self._room, self._size = page.room, 0
        page.state = json.dumps(state, separators=(",", ":")).encode()

    def add(self, kind: int, at_ns: int, who: int = NOBODY, job: int = 0, lane: int = NOWHERE, value: int = 0) -> None:
        """One record; `lost` counts those beyond a page's reserve, of which a replay would know nothing."""
        size = self._size
        if size == _SIZE:
            self.lost += 1
            return
        _pack(self._room, size, at_ns, value, job & 0xFFFFFFFF, who, lane, kind)
        self._size = size + _RECORD_SIZE

    def pages(self) -> list[Page]:
        """Oldest first."""
        self._pages[self._at].size = self._size
        ordered = self._pages[self._at + 1 :] + self._pages[: self._at + 1]
        return [page for page in ordered if page.state]


def records_in(data: bytes) -> Iterator[Record]:
    """The records of a page. Raises struct.error for bytes that are none."""
    return (Record(*fields) for fields in RECORD.iter_unpack(data))
