"""Per lane, what the reflex says of its next release: `scheduler.forecast.LaneForecast` on a board."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable
from typing import NamedTuple

from premotor_runtime.processes.layout import FORECAST_WORDS, BoardLayout
from premotor_runtime.processes.seqlock import SlotReader, SlotWriter
from premotor_runtime.scheduler.forecast import LaneForecast

NONE = (1 << 64) - 1
"""As a release: nothing of the reflex uses the lane."""
_PAYLOAD = struct.Struct(f"={FORECAST_WORDS}Q")


class PublishedForecast(NamedTuple):
    """A forecast, when it was published, and whether it is the newest (False: the slot could not be read).

    None instead of a forecast: never published.
    """

    lane: LaneForecast | None
    published_ns: int
    fresh: bool


class ForecastWriter:
    """The reflex's end, one for each lane. Times are CLOCK_MONOTONIC in nanoseconds."""

    def __init__(self, board: memoryview, layout: BoardLayout, lane: str) -> None:
        """Raises UnknownLane."""
        self.lane = lane
        self._slot = SlotWriter(board, layout.forecast(lane))
        self._words = memoryview(array("Q", bytes(FORECAST_WORDS * 8)))
        self.went_back = 0

    def publish(self, free_at_ns: int, next_release_ns: int | None, expected_ns: int, now_ns: int) -> None:
        """Say it; takes a few microseconds, keeps nothing. A clock that went back is counted, and stands still."""
        words = self._words
        if now_ns < words[3]:
            self.went_back += 1
            now_ns = words[3]
        words[0] = max(0, free_at_ns)
        words[1] = NONE if next_release_ns is None else max(0, next_release_ns)
        words[2] = max(0, expected_ns)
        words[3] = now_ns
        self._slot.write(words)

    def publish_all(self, forecasts: Iterable[LaneForecast], now_ns: int) -> None:
        """The one of this lane among what `scheduler.forecast.forecast` returned, if it is there."""
        for each in forecasts:
            if each.lane == self.lane:
                self.publish(each.free_at_ns, each.next_release_ns, each.expected_ns, now_ns)

    def release(self) -> None:
        """Let go of the board."""
        self._slot.release()


class ForecastReader:
    """The brain's end, one for each lane."""

    def __init__(self, board: memoryview, layout: BoardLayout, lane: str) -> None:
        """Raises UnknownLane."""
        self.lane = lane
        self.slot = SlotReader(board, layout.forecast(lane))

    def read(self) -> PublishedForecast:
        """The newest, or what was read before; never waits."""
        payload, sequence, fresh = self.slot.read()
        if sequence == 0:
            return PublishedForecast(None, 0, fresh)
        free_at, release, expected, published = _PAYLOAD.unpack(payload)
        forecast = LaneForecast(self.lane, free_at, None if release == NONE else release, expected)
        return PublishedForecast(forecast, published, fresh)

    def release(self) -> None:
        """Let go of the board."""
        self.slot.release()
