"""What the control loop says of its periods, put on the board: twice a period, without keeping anything."""

from __future__ import annotations

from collections.abc import Sequence

from premotor_runtime.processes.forecasts import ForecastWriter
from premotor_runtime.processes.heartbeats import HeartbeatWriter
from premotor_runtime.scheduler.forecast import LaneForecast

_FORGETTING = 64
"""The expected length falls by a 64th a period towards the newest one."""


class ForecastPublisher:
    """A listener of `ControlLoop`, whose periods occupy all of `lanes`; called on the loop's thread.

    The expected length of a period is the longest of late: a decaying maximum, so that one long period is remembered
    for a second or two at 50 Hz; `first_ns` until one was seen. It takes some ten microseconds for a lane, never waits,
    and beats the reflex's heart.
    """

    def __init__(
        self, lanes: Sequence[ForecastWriter], heartbeat: HeartbeatWriter | None = None, first_ns: int = 10_000_000
    ) -> None:
        self._lanes = lanes
        self._heartbeat = heartbeat
        self._began_ns = 0
        self.expected_ns = first_ns

    def period_begins(self, now_s: float, next_release_s: float) -> None:
        """The reflex is at work from now on, expectedly for `expected_ns`. Seconds of CLOCK_MONOTONIC."""
        self._began_ns = now = int(now_s * 1e9)
        self._publish(now, now + self.expected_ns, int(next_release_s * 1e9), self.expected_ns)

    def period_ended(self, now_s: float, next_release_s: float) -> None:
        """It has nothing to do until the next release."""
        now = int(now_s * 1e9)
        if self._began_ns:
            took = now - self._began_ns
            self.expected_ns = max(took, self.expected_ns - self.expected_ns // _FORGETTING)
        self._publish(now, now, int(next_release_s * 1e9), self.expected_ns)

    def __call__(self, now_ns: int, forecast: LaneForecast) -> None:
        """The same from a dispatcher's own forecast, its times in nanoseconds of CLOCK_MONOTONIC."""
        self._publish(now_ns, forecast.free_at_ns, forecast.next_release_ns, forecast.expected_ns)

    def withdraw(self, now_ns: int) -> None:
        """The loop has ended: nothing of this process uses the lanes any more."""
        for lane in self._lanes:
            lane.publish(now_ns, None, 0, now_ns)

    def _publish(self, now_ns: int, free_at_ns: int, release_ns: int | None, expected_ns: int) -> None:
        for lane in self._lanes:
            lane.publish(free_at_ns, release_ns, expected_ns, now_ns)
        if self._heartbeat is not None:
            self._heartbeat.beat(now_ns)
