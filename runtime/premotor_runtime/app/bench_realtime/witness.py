"""The witness of a set-up: see `core_witness`."""

from __future__ import annotations

from premotor_runtime.app.bench_realtime.control_part import WARM_UP
from premotor_runtime.app.bench_realtime.messages import Found, Ready, RunSlice
from premotor_runtime.app.bench_realtime.settings import TIMING
from premotor_runtime.app.core_witness import Stall, most_urgent_on, stalls_until


class Witness:
    """A process that looks at the clock on `core`. Without the right to be the most urgent it sees nothing."""

    def __init__(self, core: int) -> None:
        self.ready = Ready(most_urgent_on(core))
        self._stalls: list[Stall] = []

    def run(self, order: RunSlice) -> None:
        """Look until the last release's period is over."""
        if self.ready.rights is None or not self.ready.rights.sched_fifo:
            return
        until_s = order.start_s + (WARM_UP + order.releases) * TIMING.period_s
        stalls = stalls_until(lambda now_s: now_s >= until_s, order.start_s)
        self._stalls += stalls if order.counted else ()

    def found(self) -> Found:
        """Of all slices that count."""
        return Found(stalls=tuple(self._stalls))
