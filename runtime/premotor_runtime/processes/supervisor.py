"""Keeps one process running: watches it, ends it when it hangs or grows, starts it again after a back-off.

It is ticked by whoever waits anyway, and never waits itself. It knows nothing of the reflex.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from premotor_runtime.processes.back_off import BackOff
from premotor_runtime.processes.heartbeats import HeartbeatReader
from premotor_runtime.processes.memory_use import available_bytes, resident_bytes
from premotor_runtime.processes.settings import Supervision
from premotor_runtime.processes.watch import Fault, Sighting, Watch

MOST_INCIDENTS = 100


class Process(Protocol):
    """A started process."""

    @property
    def pid(self) -> int:
        """Its number."""
        ...

    def alive(self) -> bool:
        """Whether it has not ended."""
        ...

    def kill(self) -> None:
        """End it at once, also when it is stopped, and reap it. No-op when it has ended."""
        ...


@dataclass
class Incident:
    """A failure: which, of what process, when it was seen, when the next one was started and when that one served.

    Seconds on the supervisor's clock; None: not yet.
    """

    fault: Fault
    pid: int
    seen_s: float
    restarted_s: float | None = None
    served_s: float | None = None


class Supervisor:
    """`start` makes the process; it is called at once, and for each restart."""

    def __init__(
        self, start: Callable[[], Process], heartbeat: HeartbeatReader, settings: Supervision, now_s: float
    ) -> None:
        self._start = start
        self._heartbeat = heartbeat
        self._settings = settings
        self._back_off = BackOff(settings.restart)
        self._restart_s: float | None = None
        self.available = True
        self.incidents: deque[Incident] = deque(maxlen=MOST_INCIDENTS)
        self.started_s = now_s
        self._watch = Watch(settings.watch, now_s)
        self.process: Process | None = start()

    @property
    def served_s(self) -> float | None:
        """When the running process was first seen to serve."""
        return None if self.process is None else self._watch.served_s

    def tick(self, now_s: float) -> None:
        """Look, and do what has to be done. Call it some ten times a second."""
        if self.process is not None:
            fault = self._watch.judge(self._see(self.process), now_s)
            if fault is not None:
                self.report(fault, now_s)
            elif self.incidents and self._watch.served_s is not None:
                self._served(self.incidents[-1], self._watch.served_s)
        if self.process is None and self._restart_s is not None and now_s >= self._restart_s:
            self._begin(now_s)

    def report(self, fault: Fault, now_s: float) -> None:
        """End the process for a failure, seen here or elsewhere, and plan its restart. No-op when there is none."""
        if self.process is None:
            return
        self.incidents.append(Incident(fault, self.process.pid, now_s))
        self.process.kill()
        self.process = None
        self._restart_s, self.available = self._back_off.failed(now_s)

    def end(self) -> None:
        """End the process, and start none again."""
        self._restart_s = None
        if self.process is not None:
            self.process.kill()
            self.process = None

    def _begin(self, now_s: float) -> None:
        self._restart_s, self.available = None, True
        self.started_s = now_s
        self._watch = Watch(self._settings.watch, now_s)
        self.process = self._start()
        if self.incidents:
            self.incidents[-1].restarted_s = now_s

    def _served(self, incident: Incident, served_s: float) -> None:
        if incident.restarted_s is not None and incident.served_s is None:
            incident.served_s = served_s

    def _see(self, process: Process) -> Sighting:
        pid, beat = process.pid, self._heartbeat.read()
        return Sighting(pid, process.alive(), beat, resident_bytes(pid), available_bytes())
