"""Whether a process that is still there does its work. Pure: what was seen, and when, are arguments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from premotor_foundation.strict_yaml import limited
from premotor_runtime.processes.heartbeats import Beat, Phase

LONGEST_GAP_S = 1.0
Fault = Literal["ended", "silent", "slow to start", "too much memory"]


@dataclass(frozen=True)
class WatchLimits:
    """How long it may be silent while it serves, how long it may take to serve, and its memory in bytes.

    `growth_bytes` is what it may add to what it has when it begins to serve; null: half of what the machine then has
    available. `memory_bytes` is the most it may have at any time; null: no more is said.
    """

    silence_s: float = limited(above=0.0, at_most=3600.0, default=30.0)
    start_s: float = limited(above=0.0, at_most=3600.0, default=300.0)
    growth_bytes: int | None = limited(at_least=1, default=None)
    memory_bytes: int | None = limited(at_least=1, default=None)


@dataclass(frozen=True)
class Sighting:
    """What can be seen of a process; memory in bytes, resident, and available on the machine."""

    pid: int
    alive: bool
    beat: Beat
    resident_bytes: int
    available_bytes: int


class Watch:
    """Of one start of a process. Silence is measured on the watcher's own clock, from the last *change* of the beat.

    So neither a clock of the other process nor a beat that its predecessor left on the board can mislead it. Between
    two looks at most `LONGEST_GAP_S` count, and nothing where the clock went back: a watcher that was stopped itself,
    together with what it watches, blames nobody.
    """

    def __init__(self, limits: WatchLimits, now_s: float) -> None:
        self._limits = limits
        self._looked_s = now_s
        self._age_s = self._silent_s = 0.0
        self._counter = -1
        self._most_bytes = math.inf if limits.memory_bytes is None else limits.memory_bytes
        self.served_s: float | None = None

    def judge(self, seen: Sighting, now_s: float) -> Fault | None:
        """What is wrong, if anything. `served_s` is set at the first sight of a beat while serving."""
        passed = min(LONGEST_GAP_S, max(0.0, now_s - self._looked_s))
        self._looked_s = now_s
        self._age_s += passed
        self._silent_s += passed
        if not seen.alive:
            return "ended"
        self._listen(seen, now_s)
        if seen.resident_bytes > self._most_bytes:
            return "too much memory"
        if self.served_s is None:
            return "slow to start" if self._age_s > self._limits.start_s else None
        return "silent" if self._silent_s > self._limits.silence_s else None

    def _listen(self, seen: Sighting, now_s: float) -> None:
        if seen.beat.pid != seen.pid or seen.beat.counter == self._counter:
            return
        self._counter, self._silent_s = seen.beat.counter, 0.0
        if self.served_s is None and seen.beat.phase is Phase.SERVING:
            self.served_s = now_s
            growth = self._limits.growth_bytes
            growth = seen.available_bytes // 2 if growth is None else growth
            self._most_bytes = min(self._most_bytes, seen.resident_bytes + growth)
