"""What changes while the scheduler runs: jobs on their way, and lanes with what is submitted to them."""

from __future__ import annotations

from collections.abc import Sequence

from premotor_runtime.scheduler.plan import PlannedTask
from premotor_runtime.scheduler.slack import Offer
from premotor_runtime.scheduler.task import RANKS

NEVER = 1 << 62
WATCHDOG_FACTOR = 2
WATCHDOG_FLOOR_NS = 5_000_000


class LiveJob:
    """A job between its release and its end. `stage` and `segment` are those submitted next.

    `open` until it is done or its deadline has passed; `waiting` while its input has not come.
    """

    __slots__ = ("arrival_ns", "deadline_ns", "due_ns", "index", "lane", "number", "open", "planned", "rank", "segment",
                 "stage", "waiting")  # fmt: skip

    def __init__(self, planned: PlannedTask, index: int, arrival_ns: int) -> None:
        task = planned.task
        self.planned = planned
        self.number = planned.number
        self.index = index
        self.arrival_ns = arrival_ns
        self.deadline_ns = arrival_ns + task.deadline_ns
        self.rank = planned.rank if task.k == 1 or task.mandatory(index) else RANKS["soft"]
        self.open = True
        self.waiting = task.jitter_ns > 0
        self.enter(0)

    def enter(self, stage: int) -> None:
        """Be ready for a stage."""
        self.stage, self.segment = stage, 0
        self.lane = self.planned.stages[stage].lane
        self.due_ns = self.arrival_ns + self.planned.stages[stage].deadline_ns


class Submission:
    """To `lane`: a segment of `job`, or (None) a step of `stream`; once begun it takes at most `worst_ns`."""

    __slots__ = ("budget_ns", "job", "lane", "segment", "stage", "stream", "worst_ns")

    def __init__(
        self, lane: int, job: LiveJob | None, stage: int, segment: int, stream: int, budget_ns: int, worst_ns: int
    ) -> None:
        self.lane, self.job, self.stage, self.segment = lane, job, stage, segment
        self.stream, self.budget_ns, self.worst_ns = stream, budget_ns, worst_ns


class LaneState:
    """See `policy.OpenLane`. What runs longer than its watchdog allows, `limit_ns`, makes the lane `stuck`."""

    __slots__ = (
        "flying",
        "free_at_ns",
        "in_flight",
        "limit_ns",
        "next_release_ns",
        "number",
        "offers",
        "room",
        "stuck",
    )

    def __init__(self, number: int, in_flight: int) -> None:
        self.number, self.in_flight = number, in_flight
        self.flying: list[Submission] = []
        self.offers: Sequence[Offer] = ()
        self.free_at_ns = 0
        self.limit_ns = NEVER
        self.next_release_ns: int | None = None
        self.stuck = False
        self.room = True

    def submit(self, submission: Submission, now_ns: int) -> None:
        """Behind what is there."""
        if not self.flying:
            self.free_at_ns = now_ns
            self.limit_ns = now_ns + WATCHDOG_FACTOR * submission.worst_ns + WATCHDOG_FLOOR_NS
        self.flying.append(submission)
        self.free_at_ns += submission.worst_ns
        self.room = len(self.flying) < self.in_flight and not self.stuck

    def declare_stuck(self) -> None:
        """Nothing more is submitted until something ends."""
        self.stuck, self.room, self.limit_ns = True, False, NEVER

    def end_oldest(self, now_ns: int) -> Submission:
        """The oldest submission has ended. Raises IndexError when there is none."""
        ended = self.flying.pop(0)
        self.stuck, self.room = False, True
        self.free_at_ns = now_ns
        self.limit_ns = NEVER
        if self.flying:
            self.limit_ns = now_ns + WATCHDOG_FACTOR * self.flying[0].worst_ns + WATCHDOG_FLOOR_NS
            self.free_at_ns += sum(each.worst_ns for each in self.flying)
        return ended
