"""Where what lies on a board: a header, then slots of whole 8-byte words, each slot on cache lines of its own.

A slot is a sequence word, a check word and its payload. The header says all that a reader needs to find them, so two
processes agree on a board by its bytes alone.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from premotor_runtime.processes.errors import BoardError
from premotor_runtime.scheduler.errors import UnknownLane

VERSION = 1
MAGIC = b"PREMBRD\0"
WORD = 8
_LINE = 64
_NAME_BYTES = 32
_FIXED = struct.Struct("<8sQQQQQ")
"""Magic, version, size of the board, lanes, bytes of a plan, CRC-32 of the rest of the header."""

GUARD_WORDS = 2
FORECAST_WORDS = 4
BEAT_WORDS = 4
STEP_WORDS = 3
RECEIPT_WORDS = 2
MOST_LANES = 64
MOST_PLAN_BYTES = 1 << 20
PROCESSES = ("reflex", "brain")


def _lines(size: int) -> int:
    return -(-size // _LINE) * _LINE


def slot_bytes(payload_bytes: int) -> int:
    """Room for a slot, in whole cache lines."""
    return _lines(GUARD_WORDS * WORD + payload_bytes)


@dataclass(frozen=True)
class Place:
    """A slot: its first byte, and how many bytes of payload it has (a multiple of 8)."""

    offset: int
    payload_bytes: int


@dataclass(frozen=True)
class BoardLayout:
    """Names of the lanes (at most 31 bytes each), and the most bytes a plan may have."""

    lanes: tuple[str, ...]
    plan_bytes: int = 16_384

    def __post_init__(self) -> None:
        """Refuse what no header can say."""
        if not 0 < len(self.lanes) <= MOST_LANES or len(set(self.lanes)) != len(self.lanes):
            raise BoardError(f"a board needs 1 to {MOST_LANES} lanes of different names; given {list(self.lanes)}")
        if any(not 0 < len(name.encode()) < _NAME_BYTES or "\0" in name for name in self.lanes):
            raise BoardError(f"a lane's name has 1 to {_NAME_BYTES - 1} bytes; given {list(self.lanes)}")
        if not WORD <= self.plan_bytes <= MOST_PLAN_BYTES or self.plan_bytes % WORD:
            raise BoardError(f"`plan_bytes` is {self.plan_bytes}; give a multiple of {WORD} up to {MOST_PLAN_BYTES}")

    @property
    def header_bytes(self) -> int:
        """The fixed part and the names."""
        return _lines(_FIXED.size + _NAME_BYTES * len(self.lanes))

    def forecast(self, lane: str) -> Place:
        """Of a lane; raises UnknownLane."""
        if lane not in self.lanes:
            raise UnknownLane(f"the board has no lane `{lane}`; it has {', '.join(self.lanes)}")
        words = FORECAST_WORDS * WORD
        return Place(self.header_bytes + self.lanes.index(lane) * slot_bytes(words), words)

    def beat(self, process: str) -> Place:
        """The heartbeat of one of `PROCESSES`."""
        words = BEAT_WORDS * WORD
        return Place(self._after_lanes + PROCESSES.index(process) * slot_bytes(words), words)

    @property
    def step(self) -> Place:
        """The brain's step in flight."""
        return Place(self._after_lanes + len(PROCESSES) * slot_bytes(BEAT_WORDS * WORD), STEP_WORDS * WORD)

    @property
    def receipt(self) -> Place:
        """Which plan was taken."""
        return Place(self.step.offset + slot_bytes(STEP_WORDS * WORD), RECEIPT_WORDS * WORD)

    @property
    def plan(self) -> Place:
        """Number, length and bytes of the newest plan."""
        return Place(self.receipt.offset + slot_bytes(RECEIPT_WORDS * WORD), 2 * WORD + self.plan_bytes)

    @property
    def size(self) -> int:
        """Bytes of the whole board."""
        return self.plan.offset + slot_bytes(self.plan.payload_bytes)

    @property
    def _after_lanes(self) -> int:
        return self.header_bytes + len(self.lanes) * slot_bytes(FORECAST_WORDS * WORD)


def header(layout: BoardLayout) -> bytes:
    """What lies before the slots."""
    names = b"".join(name.encode().ljust(_NAME_BYTES, b"\0") for name in layout.lanes)
    fields = (MAGIC, VERSION, layout.size, len(layout.lanes), layout.plan_bytes)
    return _FIXED.pack(*fields, _crc(fields, names)) + names


def read_header(name: str, board: bytes | memoryview) -> BoardLayout:
    """The layout of a board; `name` is for the error.

    Raises BoardError for a board that is cut short, of another version, or none at all.
    """
    if len(board) < _FIXED.size:
        raise BoardError(f"{name} is no board: it has {len(board)} bytes, a header alone has {_FIXED.size}")
    magic, version, size, lanes, plan_bytes, crc = _FIXED.unpack_from(board)
    if magic != MAGIC:
        raise BoardError(f"{name} is no board: it begins with {magic!r}, not with {MAGIC!r}")
    if version != VERSION:
        raise BoardError(
            f"{name} is a board of version {version}, this is version {VERSION}; start both processes from the same "
            "installation"
        )
    if len(board) != size:
        raise BoardError(f"{name} has {len(board)} bytes, its header says {size}: it was cut short; make a new one")
    names = bytes(board[_FIXED.size : _FIXED.size + _NAME_BYTES * min(lanes, MOST_LANES)])
    if crc != _crc((magic, version, size, lanes, plan_bytes), names):
        raise BoardError(f"the header of {name} is damaged; make a new board")
    layout = BoardLayout(tuple(_names(names)), plan_bytes)
    if layout.size != size:
        raise BoardError(f"{name} has {size} bytes, its lanes need {layout.size}; make a new board")
    return layout


def _names(packed: bytes) -> list[str]:
    parts = [packed[at : at + _NAME_BYTES] for at in range(0, len(packed), _NAME_BYTES)]
    return [part.rstrip(b"\0").decode() for part in parts]


def _crc(fields: tuple[bytes | int, ...], names: bytes) -> int:
    return zlib.crc32(repr(fields).encode() + names)
