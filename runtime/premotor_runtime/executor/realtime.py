"""The dispatcher on a real clock and real lanes, as `virtual_time` runs it in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Protocol

from premotor_runtime.executor.clock import ExactClock
from premotor_runtime.executor.lane import Ended, Lane
from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.live import LiveJob, Submission
from premotor_runtime.scheduler.timebase import Timebase
from premotor_runtime.scheduler.virtual_time import StepModel

LONGEST_SLEEP_NS = 1_000_000_000


class Worker(Protocol):
    """What stands behind a task. All but the work itself happens on the loop's thread."""

    def sense(self, job: LiveJob) -> None:
        """Fetch the input of a job that was released; asked only for tasks with jitter, which wait for theirs."""
        ...

    def segment(self, job: LiveJob, stage: int, segment: int) -> Callable[[], object]:
        """The work of a segment, for its lane. It may end late, or never."""
        ...

    def ended(self, job: LiveJob, value: object, error: str) -> None:
        """A segment came to `value`, or to an error; of a late job, too."""
        ...

    def settle(self, now_ns: int) -> None:
        """Jobs of the task were done, missed or skipped at `now_ns`: act by what the miss book says now."""
        ...


class PlanChanges(Protocol):
    """Who finds other plans for other states of the machine, not on the loop's thread (see `power.watch`)."""

    def lanes_stuck(self, names: tuple[str, ...]) -> None:
        """These lanes hang now; called when that changes. Returns at once."""
        ...

    def carry_out(self, dispatcher: Dispatcher, now_ns: int) -> list[Submission]:
        """Switch the dispatcher to what has been found since the last call, if anything was."""
        ...


class RealtimeExecutor:
    """Sleeps to the next event and lets it happen. `lanes`, `workers` and `models` are in the order of the plan's.

    Lateness never accumulates: releases are absolute. A clock that goes back re-bases all timers (see `Timebase`).
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        clock: ExactClock,
        lanes: Sequence[Lane],
        workers: Sequence[Worker] = (),
        models: Sequence[StepModel] = (),
        changes: PlanChanges | None = None,
    ) -> None:
        self.dispatcher = dispatcher
        self.workers = list(workers)
        self._clock, self._lanes, self._models = clock, list(lanes), list(models)
        self._changes = changes
        self._timebase = Timebase()
        self._ended: SimpleQueue[Ended] = SimpleQueue()
        self._stuck: tuple[str, ...] = ()
        self._settled = [0] * len(dispatcher.misses.counters)
        self.now_ns()
        self._offer()

    def now_ns(self) -> int:
        """Scheduler time now."""
        now, back = self._timebase.read(self._clock.now_ns())
        if back:
            self.dispatcher.clock_went_back(now, back)
        return now

    def raw_ns(self, scheduler_ns: int) -> int:
        """When the clock will show it."""
        return self._timebase.raw(scheduler_ns)

    def turn(self) -> None:
        """One event and all that follows: an input that is due is fetched, else the next thing waited for.

        That is a release, the end of a submission, a deadline or a watchdog.
        """
        job = next((job for job in self.dispatcher.jobs if job.waiting), None)
        if job is not None:
            self._sense(job)
        else:
            ended = self._wait()
            if self._changes is not None:
                self._submit(self._changes.carry_out(self.dispatcher, self.now_ns()))
            self._happen(ended)
        self._settle()
        self._tell_of_stuck_lanes()

    def _happen(self, ended: Ended | None) -> None:
        if ended is not None:
            self._end(ended, self.now_ns())
        else:
            self._submit(self.dispatcher.wake(self.now_ns()))
            self._offer()

    def _wait(self) -> Ended | None:
        until = min(self.dispatcher.next_wake_ns, self.now_ns() + LONGEST_SLEEP_NS)
        raw = self._timebase.raw(until)
        if any(lane.flying for lane in self.dispatcher.lanes):
            return self._clock.take(self._ended, raw)
        self._clock.sleep_until_ns(raw)
        return None

    def _end(self, ended: Ended, now_ns: int) -> None:
        at = min(now_ns, self._timebase.scheduler(ended.at_ns))
        submission = self.dispatcher.lanes[ended.lane].flying[0]
        if submission.job is not None:
            self.workers[submission.job.number].ended(submission.job, ended.value, ended.error)
            self._submit(self.dispatcher.ended(at, ended.lane, not ended.error))
        else:
            more = bool(ended.value) and self._models[submission.stream].has_work
            self._submit(self.dispatcher.ended(at, ended.lane, more))
            self._offer()

    def _settle(self) -> None:
        for number, counter in enumerate(self.dispatcher.misses.counters):
            if counter.periods != self._settled[number]:
                self._settled[number] = counter.periods
                self.workers[number].settle(self.now_ns())

    def _sense(self, job: LiveJob) -> None:
        """Fetch the input of a job; one that came too late belongs to no job any more."""
        self.workers[job.number].sense(job)
        now = self.now_ns()
        self._submit(self.dispatcher.wake(now))
        if job.waiting and job in self.dispatcher.jobs:
            self._submit(self.dispatcher.arrive(now, job.number))

    def _offer(self) -> None:
        for stream, model in enumerate(self._models):
            if model.has_work != (stream in self.dispatcher.offering):
                self._submit(self.dispatcher.offer(self.now_ns(), stream, model.has_work))

    def _tell_of_stuck_lanes(self) -> None:
        stuck = self.dispatcher.stuck_lanes if self._changes is not None else ()
        if self._changes is not None and stuck != self._stuck:
            self._stuck = stuck
            self._changes.lanes_stuck(stuck)

    def _submit(self, submissions: Sequence[Submission]) -> None:
        for each in submissions:
            self._lanes[each.lane].begin(self._work(each), each.lane, self._ended)

    def _work(self, submission: Submission) -> Callable[[], object]:
        job = submission.job
        if job is not None:
            return self.workers[job.number].segment(job, submission.stage, submission.segment)
        model, budget = self._models[submission.stream], submission.budget_ns
        return lambda: model.step(budget)
