"""The scheduler's state: events in, submissions out. It drives the robot and the virtual board alike.

Whoever owns it calls `wake` at `next_wake_ns` (or later), `ended` when the oldest submission on a lane has ended,
`arrive` when a task's input has come and `offer` when a stream gets work or has none; each returns what is to be
submitted now. All times are scheduler time (see `timebase`); a time before the last one counts as the last one. The
same inputs give the same records, byte for byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from premotor_runtime.scheduler.live import NEVER, LaneState, LiveJob, Submission
from premotor_runtime.scheduler.miss_book import MissBook
from premotor_runtime.scheduler.miss_ladder import MissLadder
from premotor_runtime.scheduler.plan import Plan, PlannedTask
from premotor_runtime.scheduler.policy import NO_STREAM, Choice, place
from premotor_runtime.scheduler.recording import NOBODY, NOWHERE, Kind, Ring
from premotor_runtime.scheduler.slack import FREE, Offer
from premotor_runtime.scheduler.snapshot import restore, snapshot

_WAKE, _ENDED, _START, _FINISH, _STEP, _STEPPED, _DONE = (
    int(kind) for kind in (Kind.WAKE, Kind.ENDED, Kind.START, Kind.FINISH, Kind.STEP, Kind.STEPPED, Kind.DONE)
)


class Dispatcher:
    """`plans` are admitted ones with the same task, stream and lane names; it starts with the first, at `start_ns`.

    `next_wake_ns` is when something happens by itself: a release, a deadline, a watchdog; NEVER for nothing.
    """

    def __init__(self, plans: Sequence[Plan], ring: Ring, ladder: MissLadder | None = None, start_ns: int = 0) -> None:
        self.plans, self.ring, self.ladder = list(plans), ring, ladder or MissLadder()
        self.now_ns = start_ns
        self.start_ns = start_ns
        self.plan_number = 0
        self._use(plans[0])
        self.lanes = [LaneState(number, spec.in_flight) for number, spec in enumerate(self.plan.task_set.lanes)]
        self._offered = False
        self._deep = any(lane.in_flight > 1 for lane in self.lanes)
        tasks = self.plan.tasks
        self.next_arrival_ns = [start_ns + planned.task.offset_ns for planned in tasks]
        self.next_index = [0] * len(tasks)
        self.early = [0] * len(tasks)
        self.misses = MissBook(self.plan.task_set.tasks, self.ladder, ring)
        self.jobs: list[LiveJob] = []
        self.ready: list[LiveJob] = []
        self.offering: set[int] = set()
        self.asleep: set[int] = set()
        self._due_ns = min(self.next_arrival_ns, default=NEVER)
        self._first_deadline_ns = NEVER
        self.next_wake_ns = self._due_ns

    def wake(self, now_ns: int) -> list[Submission]:
        """The clock shows `now_ns`."""
        if now_ns < self.next_wake_ns:
            return []
        self._input(_WAKE, now_ns)
        return self._settle()

    def ended(self, now_ns: int, lane: int, worked: bool = True) -> list[Submission]:
        """The oldest submission on `lane` has ended. Not `worked`: a step that did nothing is not tried again at once;
        a segment that failed is a miss.

        Raises IndexError when nothing was submitted.
        """
        self._input(_ENDED, now_ns, NOBODY, lane, 1 if worked else 0)
        self._finish(lane, worked)
        return self._settle()

    def arrive(self, now_ns: int, number: int) -> list[Submission]:
        """The input of a task with jitter has come; one that comes before the job's arrival waits for it."""
        self._input(Kind.ARRIVE, now_ns, who=number)
        waiting = next((job for job in self.jobs if job.number == number and job.waiting), None)
        if waiting is None:
            self.early[number] = 1
        else:
            waiting.waiting = False
            self.ready.append(waiting)
        return self._settle()

    def offer(self, now_ns: int, stream: int, has_work: bool) -> list[Submission]:
        """A stream has work from now on, or none."""
        self._input(Kind.OFFER, now_ns, who=stream, value=int(has_work))
        (self.offering.add if has_work else self.offering.discard)(stream)
        self._refresh_offers()
        return self._settle()

    def switch(self, now_ns: int, number: int) -> list[Submission]:
        """Go on by another of `plans`: jobs already released end as they began, what is due now is released by it."""
        self._note(Kind.SWITCH, now_ns, value=number)
        self.plan_number = number
        self._use(self.plans[number])
        self._refresh_offers()
        self._let_time_pass()
        return self._settle()

    def add_plan(self, plan: Plan) -> int:
        """The number to `switch` to; task, stream and lane names must be those of the first plan. Raises ValueError."""
        if _names(plan) != _names(self.plans[0]):
            raise ValueError(f"another plan is for {_names(self.plans[0])}; given one for {_names(plan)}")
        self.plans.append(plan)
        return len(self.plans) - 1

    def clock_went_back(self, now_ns: int, by_ns: int) -> None:
        """For the record; scheduler time did not."""
        self._note(Kind.CLOCK_BACK, now_ns, value=by_ns)

    def halt(self, now_ns: int, halted: bool) -> None:
        """For the record: no plan holds in the state of the machine, or one does again; who acts must see to it."""
        self._note(Kind.HALT, now_ns, value=int(halted))

    @property
    def stuck_lanes(self) -> tuple[str, ...]:
        """The lanes whose watchdog has fired, while what hangs there has not ended."""
        specs = self.plan.task_set.lanes
        return tuple(spec.name for spec, lane in zip(specs, self.lanes, strict=True) if lane.stuck)

    def state(self) -> object:
        """All that decisions depend on, as JSON takes it."""
        return snapshot(self)

    def restore(self, state: Any) -> None:
        """Go on from a `state`."""
        restore(self, state)
        self._use(self.plans[self.plan_number])
        self._refresh_offers()
        self._due_ns = min(self.next_arrival_ns, default=NEVER)
        self._note_deadlines()
        self._look_at_clocks()

    def _use(self, plan: Plan) -> None:
        self.plan = plan
        self._sharing = [
            [task.number for task in plan.tasks if any(stage.lane == lane for stage in task.stages)]
            for lane in range(len(plan.task_set.lanes))
        ]

    def _note(self, kind: int, now_ns: int, who: int = NOBODY, lane: int = NOWHERE, value: int = 0) -> None:
        ring = self.ring
        if ring.full:
            ring.turn(self.state())
        if now_ns > self.now_ns:
            self.now_ns = now_ns
        ring.add(kind, self.now_ns, who, 0, lane, value)

    def _input(self, kind: int, now_ns: int, who: int = NOBODY, lane: int = NOWHERE, value: int = 0) -> None:
        self._note(kind, now_ns, who, lane, value)
        if self.asleep:
            self.asleep.clear()
            self._refresh_offers()
        if self.now_ns >= self.next_wake_ns:
            self._let_time_pass()

    def _let_time_pass(self) -> None:
        if self.now_ns > self._first_deadline_ns:
            self._expire()
        if self.now_ns >= self._due_ns:
            self._release()
        for each in self.lanes:
            if self.now_ns >= each.limit_ns:
                self.ring.add(Kind.WATCHDOG, self.now_ns, lane=each.number, value=each.limit_ns)
                each.declare_stuck()

    def _look_at_clocks(self) -> None:
        soonest = self._first_deadline_ns + 1
        if self._due_ns < soonest:
            soonest = self._due_ns
        for lane in self.lanes:
            if lane.limit_ns < soonest:
                soonest = lane.limit_ns
        self.next_wake_ns = soonest

    def _release(self) -> None:
        arrivals = self.next_arrival_ns
        for number, arrival in enumerate(arrivals):
            while arrival <= self.now_ns:
                planned = self._version(number)
                passed = (self.now_ns - arrival - planned.task.deadline_ns - 1) // planned.task.period_ns + 1
                if passed > 0:
                    self._skip(planned, passed)
                else:
                    self._release_one(planned, arrival)
                arrival += planned.task.period_ns * max(1, passed)
            arrivals[number] = arrival
        self._due_ns = min(arrivals)
        self._note_deadlines()

    def _version(self, number: int) -> PlannedTask:
        versions = self.plan.versions[number]
        return versions[min(self.misses.level(number), len(versions) - 1)]

    def _release_one(self, planned: PlannedTask, arrival: int) -> None:
        number, index = planned.number, self.next_index[planned.number]
        self.next_index[number] = index + 1
        for late in [job for job in self.jobs if job.number == number and not job.open]:
            self._drop(late)
        job = LiveJob(planned, index, arrival)
        self.ring.add(Kind.RELEASE, self.now_ns, number, index, job.lane, arrival)
        self.jobs.append(job)
        if job.waiting and self.early[number]:
            job.waiting, self.early[number] = False, 0
        if not job.waiting:
            self.ready.append(job)

    def _skip(self, planned: PlannedTask, jobs: int) -> None:
        number, first = planned.number, self.next_index[planned.number]
        self.ring.add(Kind.SKIP, self.now_ns, number, first, value=jobs)
        self.next_index[number] += jobs
        self.misses.skipped(self.now_ns, number, first, jobs, self._deepest(number))

    def _expire(self) -> None:
        for job in [job for job in self.jobs if job.open and job.deadline_ns < self.now_ns]:
            self._miss(job)
            if job.planned.task.criticality in ("hard", "firm"):
                self._drop(job)
        self._note_deadlines()

    def _miss(self, job: LiveJob) -> None:
        job.open = False
        self.ring.add(Kind.MISS, self.now_ns, job.number, job.index, value=job.deadline_ns)
        self.misses.missed(self.now_ns, job.number, job.index, self._deepest(job.number))

    def _drop(self, job: LiveJob) -> None:
        self.jobs.remove(job)
        if job in self.ready:
            self.ready.remove(job)
        self.ring.add(Kind.DROP, self.now_ns, job.number, job.index)

    def _deepest(self, number: int) -> int:
        return len(self.plan.versions[number]) - 1

    def _note_deadlines(self) -> None:
        self._first_deadline_ns = NEVER
        for job in self.jobs:
            if job.open and job.deadline_ns < self._first_deadline_ns:
                self._first_deadline_ns = job.deadline_ns

    def _finish(self, lane: int, worked: bool) -> None:
        ended = self.lanes[lane].end_oldest(self.now_ns)
        job = ended.job
        if job is None:
            self.ring.add(_STEPPED, self.now_ns, ended.stream, 0, lane, ended.budget_ns)
            if not worked:
                self.asleep.add(ended.stream)
                self._refresh_offers()
            return
        where = ended.stage << 16 | ended.segment
        self.ring.add(_FINISH, self.now_ns, job.number, job.index, lane, where)
        if not worked:
            self._fail(job)
            return
        if ended.segment + 1 < len(job.planned.stages[ended.stage].costs_ns) or job not in self.jobs:
            return
        if ended.stage + 1 < len(job.planned.stages):
            job.enter(ended.stage + 1)
            self.ready.append(job)
        else:
            self._complete(job)

    def _fail(self, job: LiveJob) -> None:
        if job.open:
            self._miss(job)
            self._note_deadlines()
        if job in self.jobs:
            self._drop(job)

    def _complete(self, job: LiveJob) -> None:
        self.jobs.remove(job)
        self.ring.add(_DONE, self.now_ns, job.number, job.index, NOWHERE, self.now_ns - job.arrival_ns)
        if job.open:
            self.misses.in_time(self.now_ns, job.number, job.index, self._deepest(job.number))
            self._note_deadlines()

    def _settle(self) -> list[Submission]:
        made: list[Submission] = []
        while choices := self._choices():
            ready = self.ready if len(choices) == 1 else list(self.ready)
            made += [self._submit_step(each) if each.job is None else self._submit(ready[each.job]) for each in choices]
            if not self._deep:
                break
        self._look_at_clocks()
        return made

    def _choices(self) -> list[Choice]:
        if self._offered:
            self._look_ahead()
        return place(self.ready, self.lanes, self.now_ns) if self.ready or self._offered else []

    def _submit(self, job: LiveJob) -> Submission:
        stage = job.planned.stages[job.stage]
        placement = Submission(job.lane, job, job.stage, job.segment, NO_STREAM, 0, stage.costs_ns[job.segment])
        self.lanes[job.lane].submit(placement, self.now_ns)
        self.ring.add(_START, self.now_ns, job.number, job.index, job.lane, job.stage << 16 | job.segment)
        job.segment += 1
        if job.segment == len(stage.costs_ns):
            self.ready.remove(job)
        return placement

    def _submit_step(self, choice: Choice) -> Submission:
        planned = self.plan.streams[choice.stream]
        worst = planned.longest_ns if choice.budget_ns == FREE else choice.budget_ns + planned.stream.overrun_ns
        placement = Submission(choice.lane, None, 0, 0, choice.stream, choice.budget_ns, worst)
        self.lanes[choice.lane].submit(placement, self.now_ns)
        self.ring.add(_STEP, self.now_ns, choice.stream, 0, choice.lane, choice.budget_ns)
        return placement

    def _refresh_offers(self) -> None:
        for lane in self.lanes:
            lane.offers = [
                Offer(each.number, each.stream.bounded, each.stream.shortest_ns, each.longest_ns, each.stream.margin_ns,
                      each.stream.tolerance_ns)
                for each in self.plan.streams
                if each.lane == lane.number and each.number in self.offering and each.number not in self.asleep
            ]  # fmt: skip
        self._offered = any(lane.offers for lane in self.lanes)

    def _look_ahead(self) -> None:
        """For lanes that no job waits for: only there a step may begin."""
        wanted = [job.lane for job in self.ready]
        for lane in self.lanes:
            if lane.offers and lane.room and lane.number not in wanted:
                lane.next_release_ns = self.next_release_ns(lane.number)

    def next_release_ns(self, lane: int) -> int | None:
        """The earliest instant at which work for `lane` may become ready; None when no task uses it."""
        sharing = self._sharing[lane]
        if not sharing:
            return None
        soonest = NEVER
        for number in sharing:
            if self.next_arrival_ns[number] < soonest:
                soonest = self.next_arrival_ns[number]
        for job in self.jobs:
            first = job.stage if job.waiting else job.stage + 1
            if first < len(job.planned.stages) and any(stage.lane == lane for stage in job.planned.stages[first:]):
                return self.now_ns
        return soonest


def _names(plan: Plan) -> list[str]:
    return [each.name for each in (*plan.task_set.members, *plan.task_set.lanes)]
