"""The policy: (jobs, lanes, now) -> placements. It reads no clock, no thread, no device, and changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from premotor_runtime.scheduler.slack import FREE, Offer, step_ns

NO_STREAM = -1


class Ready(Protocol):
    """A job whose next segment waits for `lane`. The lower `rank`, the earlier `due_ns`, the sooner.

    `number` (the task's place in the plan) and `index` (the job's) decide between equals.
    """

    @property
    def lane(self) -> int: ...  # noqa: D102
    @property
    def rank(self) -> int: ...  # noqa: D102
    @property
    def due_ns(self) -> int: ...  # noqa: D102
    @property
    def number(self) -> int: ...  # noqa: D102
    @property
    def index(self) -> int: ...  # noqa: D102


class OpenLane(Protocol):
    """A lane as the policy sees it. `room` for one more submission; `offers` of streams that have work for it.

    `free_at_ns`: when what is submitted will have ended; `next_release_ns`: see `slack.step_ns`.
    """

    @property
    def room(self) -> bool: ...  # noqa: D102
    @property
    def number(self) -> int: ...  # noqa: D102
    @property
    def offers(self) -> Sequence[Offer]: ...  # noqa: D102
    @property
    def free_at_ns(self) -> int: ...  # noqa: D102
    @property
    def next_release_ns(self) -> int | None: ...  # noqa: D102


class Choice(NamedTuple):
    """What a lane gets next: the next segment of `jobs[job]`, or (`job` None) a step of a stream with a budget."""

    lane: int
    job: int | None
    stream: int = NO_STREAM
    budget_ns: int = FREE


def place(jobs: Sequence[Ready], lanes: Sequence[OpenLane], now_ns: int) -> list[Choice]:
    """At most one submission for each lane with room: the most urgent job, without one the first stream that fits."""
    found: list[Choice] = []
    for lane in lanes:
        if not lane.room:
            continue
        number, best = lane.number, None
        for at, job in enumerate(jobs):
            if job.lane == number and (best is None or _before(job, jobs[best])):
                best = at
        if best is not None:
            found.append(Choice(number, best))
        elif lane.offers:
            found += _step(lane, now_ns)
    return found


def _before(one: Ready, other: Ready) -> bool:
    return (one.rank, one.due_ns, one.number, one.index) < (other.rank, other.due_ns, other.number, other.index)


def _step(lane: OpenLane, now_ns: int) -> list[Choice]:
    for offer in lane.offers:
        budget = step_ns(offer, now_ns, lane.free_at_ns, lane.next_release_ns)
        if budget is not None:
            return [Choice(lane.number, None, offer.stream, budget)]
    return []
