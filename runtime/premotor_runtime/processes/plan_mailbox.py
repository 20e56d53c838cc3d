"""A mailbox for one plan at a time: bytes, numbered, the newest wins, and the taker says which it took."""

from __future__ import annotations

import struct
from array import array
from typing import NamedTuple

from premotor_runtime.processes.errors import BoardError
from premotor_runtime.processes.layout import RECEIPT_WORDS, WORD, BoardLayout
from premotor_runtime.processes.seqlock import SlotReader, SlotWriter

_HEAD = struct.Struct("=2Q")


class Letter(NamedTuple):
    """Plan `number` (from 1 on) and its bytes."""

    number: int
    content: bytes


class PlanSender:
    """The only writer of plans. One that was restarted counts on from what lies there."""

    def __init__(self, board: memoryview, layout: BoardLayout) -> None:
        self._most = layout.plan_bytes
        self._slot, self._receipt = SlotWriter(board, layout.plan), SlotReader(board, layout.receipt)
        newest = SlotReader(board, layout.plan)
        self._number = max(int(_HEAD.unpack_from(newest.read().payload)[0]), self.acknowledged)
        newest.release()

    def send(self, content: bytes) -> int:
        """Put it in the place of what was there, and return its number. Raises BoardError when it is too long."""
        if len(content) > self._most:
            raise BoardError(
                f"the plan has {len(content)} bytes, the board has room for {self._most}; shorten it or make the board "
                "with a larger `plan_bytes`"
            )
        self._number += 1
        room = -(-len(content) // WORD) * WORD
        self._slot.write(memoryview(array("Q", _HEAD.pack(self._number, len(content)) + content.ljust(room, b"\0"))))
        return self._number

    @property
    def acknowledged(self) -> int:
        """The number of the plan that was taken last; 0 for none."""
        return int(_HEAD.unpack(self._receipt.read().payload)[0])

    def release(self) -> None:
        """Let go of the board."""
        self._slot.release()
        self._receipt.release()


class PlanTaker:
    """The only taker. One that was restarted does not see again what was taken before."""

    def __init__(self, board: memoryview, layout: BoardLayout) -> None:
        self._slot, self._receipt = SlotReader(board, layout.plan), SlotWriter(board, layout.receipt)
        taken = SlotReader(board, layout.receipt)
        self._taken = int(_HEAD.unpack(taken.read().payload)[0])
        taken.release()
        self._words = memoryview(array("Q", bytes(RECEIPT_WORDS * WORD)))

    def take(self, now_ns: int) -> Letter | None:
        """A plan that was not taken yet, acknowledged herewith; None when there is none, or it cannot be read now."""
        payload = self._slot.read().payload
        number, length = _HEAD.unpack_from(payload)
        if number <= self._taken:
            return None
        self._taken = self._words[0] = number
        self._words[1] = max(0, now_ns)
        self._receipt.write(self._words)
        return Letter(number, payload[_HEAD.size : _HEAD.size + length])

    def release(self) -> None:
        """Let go of the board."""
        self._slot.release()
        self._receipt.release()
