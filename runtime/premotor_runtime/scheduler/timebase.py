"""A clock that jumps back must not stop the timers: the scheduler's time goes on from where it was."""

from __future__ import annotations


class Timebase:
    """Maps a raw clock (nanoseconds) to scheduler time, which never runs backwards.

    When the raw clock goes back (a simulation was reset, somebody set the time), all releases and deadlines are
    re-based: they keep their distance from now. What carries old raw stamps is the caller's to drop. A jump forward
    cannot be told from a long sleep; the releases that passed are missed.
    """

    def __init__(self) -> None:
        self._ahead = 0
        self._last: int | None = None

    def read(self, raw_ns: int) -> tuple[int, int]:
        """Scheduler time, and by how much the raw clock went back since the last call (0: it did not)."""
        back = max(0, self._last - raw_ns) if self._last is not None else 0
        self._ahead += back
        self._last = raw_ns
        return raw_ns + self._ahead, back

    def scheduler(self, raw_ns: int) -> int:
        """Scheduler time of a stamp taken since the last jump."""
        return raw_ns + self._ahead

    def raw(self, scheduler_ns: int) -> int:
        """When the raw clock will show it, if it does not jump."""
        return scheduler_ns - self._ahead
