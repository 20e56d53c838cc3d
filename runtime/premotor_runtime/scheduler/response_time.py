"""The longest response time of non-preemptive segments under EDF within ranks, on one lane.

After George, Rivierre and Spuri, "Preemptive and non-preemptive real-time uniprocessor scheduling", INRIA RR-2966
(1996), with release jitter as in Spuri's holistic analysis (RR-2873) and fixed preemption points: a job's last segment
runs undisturbed once it has begun. A busy period begins with the release of work at least as urgent as the job looked
at; until then one lower segment for each submission that the lane holds may have been begun, and where a lane holds
several, another one may be queued behind each job. The releases assumed are the worst over all offsets, so an admitted
set may be started with any.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

MOST_CANDIDATES = 4096
"""Arrivals looked at before a set counts as too close to full to be proved."""


class Load(NamedTuple):
    """What one stage asks of a lane. `owner` numbers the task; times in nanoseconds from the task's arrival.

    `last` and `longest` are its last and longest segment; of k successive jobs, m have this rank.
    """

    owner: int
    rank: int
    period: int
    deadline: int
    jitter: int
    cost: int
    last: int
    longest: int
    m: int
    k: int

    def jobs(self, arrivals: int) -> int:
        """At most so many of `arrivals` successive jobs have this rank."""
        return arrivals if self.m == self.k else -(-arrivals * self.m // self.k)


class Blocker(NamedTuple):
    """A segment without a deadline that counts: a stream's step, the longest of a lower rank."""

    rank: int
    longest: int


def utilization(loads: Sequence[Load]) -> float:
    """The share of the lane's time that `loads` ask for in the long run."""
    return sum(load.cost * load.m / (load.period * load.k) for load in loads)


def worst_response(load: Load, lane: Sequence[Load], blockers: Sequence[Blocker], in_flight: int = 1) -> float:
    """From the arrival to the end of the stage, in nanoseconds; infinite where no bound can be proved.

    `lane` is all that the lane has, `load` among it (compared by identity).
    """
    return _Analysis(load, lane, blockers, in_flight).worst()


class _Analysis:
    def __init__(self, load: Load, lane: Sequence[Load], blockers: Sequence[Blocker], in_flight: int) -> None:
        self.own = load
        others = [other for other in lane if other is not load]
        self.higher = [other for other in others if other.rank < load.rank]
        self.peers = [other for other in others if other.rank == load.rank]
        self.in_flight = in_flight
        lower = [other.longest for other in others if other.rank > load.rank]
        lower += [blocker.longest for blocker in blockers if blocker.rank > load.rank]
        self.lower = max(lower, default=0)
        queued = max([self.lower, *(peer.longest for peer in self.peers)])
        self.behind = (in_flight - 1) * queued

    def worst(self) -> float:
        busy = self._busy_period()
        if busy is None:
            return math.inf
        arrivals = self._candidates(busy)
        if arrivals is None:
            return math.inf
        return max(self._response(arrival) for arrival in arrivals)

    def _busy_period(self) -> int | None:
        """Its length bound; None where the lane is asked for all its time or more."""
        urgent = [self.own, *self.higher, *self.peers]
        if sum((each.cost + self.behind) * each.m / (each.period * each.k) for each in urgent) >= 1.0:
            return None
        length, new = 0, self._blocking(-math.inf) + sum(each.cost for each in urgent)
        for _ in range(MOST_CANDIDATES):
            if new == length:
                return length
            length = new
            new = self._blocking(-math.inf) + sum(
                each.jobs(-(-(length + each.jitter) // each.period)) * (each.cost + self.behind) for each in urgent
            )
        return None

    def _candidates(self, busy: int) -> list[int] | None:
        """Arrivals within the busy period at which more peers or own jobs begin to count; None for too many."""
        found = {-self.own.jitter}
        for peer in (self.own, *self.peers):
            first = peer.deadline - self.own.deadline - peer.jitter
            begin = max(0, -((first + self.own.jitter) // peer.period))
            end = -(-(busy - first) // peer.period)
            if end - begin > MOST_CANDIDATES:
                return None
            found.update(first + n * peer.period for n in range(begin, end))
        return sorted(each for each in found if -self.own.jitter <= each < busy)

    def _response(self, arrival: int) -> int:
        own, due = self.own, arrival + self.own.deadline
        before = own.jobs((arrival + own.jitter) // own.period + 1) - 1
        fixed = self._blocking(due) + before * (own.cost + self.behind) + own.cost - own.last
        capped = [(peer, self._jobs_due(peer, due)) for peer in self.peers]
        start, new = -1, fixed
        while new != start:
            start, new = new, fixed
            for each in self.higher:
                new += each.jobs(1 + (start + each.jitter) // each.period) * (each.cost + self.behind)
            for peer, most in capped:
                arrived = 1 + (start + peer.jitter) // peer.period
                new += peer.jobs(min(most, arrived)) * (peer.cost + self.behind)
        return start + own.last - arrival

    def _jobs_due(self, peer: Load, due: int) -> int:
        return max(0, 1 + (due - peer.deadline + peer.jitter) // peer.period)

    def _blocking(self, due: float) -> int:
        """By what is submitted already and less urgent than a deadline `due` after the busy period began."""
        later = [peer.longest for peer in self.peers if peer.deadline > due]
        return self.in_flight * max([self.lower, *later])
