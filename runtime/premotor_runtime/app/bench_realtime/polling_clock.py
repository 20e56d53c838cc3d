"""A clock whose sleeps end on time: the last stretch is waited for awake."""

from __future__ import annotations

import time

from premotor_runtime.executor.clock import MonotonicClock


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
