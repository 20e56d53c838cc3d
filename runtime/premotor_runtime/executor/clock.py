"""Time as an argument: the machine's monotonic clock, or a virtual one that only moves when told."""

from __future__ import annotations

import contextlib
import time
from queue import Empty, SimpleQueue
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Clock(Protocol):
    """Seconds on one monotonic axis."""

    def now(self) -> float:
        """The current time in seconds; never runs backwards."""
        ...

    def sleep_until(self, instant_s: float) -> None:
        """Return at `instant_s` or as soon after as the system allows; at once when it has passed."""
        ...


class ExactClock(Clock, Protocol):
    """A clock that the executor may run by: whole nanoseconds, so that nothing drifts and replays are exact."""

    def now_ns(self) -> int:
        """The current time in nanoseconds."""
        ...

    def sleep_until_ns(self, instant_ns: int) -> None:
        """See `sleep_until`."""
        ...

    def take(self, queue: SimpleQueue[Item], until_ns: int) -> Item | None:
        """The queue's next item as soon as there is one; None when there was none by `until_ns`."""
        ...


class MonotonicClock:
    """CLOCK_MONOTONIC, which all processes of one machine share, so that their records line up."""

    def now(self) -> float:
        """Seconds since an arbitrary start."""
        return time.monotonic()

    def sleep_until(self, instant_s: float) -> None:
        """Sleep to the absolute instant."""
        remaining = instant_s - time.monotonic()
        if remaining > 0:
            time.sleep(remaining)

    def now_ns(self) -> int:
        """Nanoseconds since the same start."""
        return time.monotonic_ns()

    def sleep_until_ns(self, instant_ns: int) -> None:
        """Sleep to the absolute instant."""
        remaining = instant_ns - time.monotonic_ns()
        if remaining > 0:
            time.sleep(remaining / 1e9)

    def take(self, queue: SimpleQueue[Item], until_ns: int) -> Item | None:
        """Wait on the queue, with a time limit."""
        with contextlib.suppress(Empty):
            return queue.get(timeout=max(0.0, (until_ns - time.monotonic_ns()) / 1e9))
        return None


class PollingClock(MonotonicClock):
    """Sleeps until `awake_s` before the instant, then polls: a core that idles wakes up late, in a virtual machine by
    milliseconds. For a process that has its core for itself; the time it polls is taken from nobody. `polled_ns` is all
    of that time, `longest_stall_ns` the longest between two looks at the clock: then the core ran something else.
    """

    def __init__(self, awake_s: float) -> None:
        self._awake_ns = int(awake_s * 1e9)
        self.polled_ns = self.longest_stall_ns = 0

    def sleep_until(self, instant_s: float) -> None:
        """See `Clock`."""
        self.sleep_until_ns(int(instant_s * 1e9))

    def sleep_until_ns(self, instant_ns: int) -> None:
        """See `ExactClock`."""
        super().sleep_until_ns(instant_ns - self._awake_ns)
        began = last = now = time.monotonic_ns()
        while now < instant_ns:
            now = time.monotonic_ns()
            if now - last > self.longest_stall_ns:
                self.longest_stall_ns = now - last
            last = now
        self.polled_ns += now - began


class VirtualClock:
    """A clock for tests and replays: sleeping is jumping, and computing takes the time that `spend` says."""

    def __init__(self, start_s: float = 0.0) -> None:
        self._now_ns = round(start_s * 1e9)

    def now(self) -> float:
        """Seconds of virtual time."""
        return self._now_ns / 1e9

    def sleep_until(self, instant_s: float) -> None:
        """Jump to `instant_s`, never back."""
        self.sleep_until_ns(round(instant_s * 1e9))

    def now_ns(self) -> int:
        """Nanoseconds of virtual time."""
        return self._now_ns

    def sleep_until_ns(self, instant_ns: int) -> None:
        """Jump, never back."""
        self._now_ns = max(self._now_ns, instant_ns)

    def take(self, queue: SimpleQueue[Item], until_ns: int) -> Item | None:
        """What lies in the queue; nothing comes into it while this clock stands, so else jump."""
        with contextlib.suppress(Empty):
            return queue.get_nowait()
        self.sleep_until_ns(until_ns)
        return None

    def spend(self, duration_s: float) -> None:
        """Let `duration_s` seconds pass."""
        self._now_ns += round(duration_s * 1e9)
