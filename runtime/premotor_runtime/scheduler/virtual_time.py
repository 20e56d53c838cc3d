"""The same dispatcher in virtual time: work takes what it is said to take, and slows down beside other lanes' work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from premotor_runtime.scheduler.contention import ALONE, slowdown_milli
from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.live import NEVER, LiveJob, Submission

_SHIFT = 20
"""Bits behind the nanosecond in which remaining work is counted, so that changes of speed round off nothing visible."""


class StepModel(Protocol):
    """A stand-in for the engine behind a stream."""

    @property
    def has_work(self) -> bool:
        """Whether a step would do anything, given time."""
        ...

    def step(self, budget_ns: int) -> int:
        """Do what fits into `budget_ns` (alone; -1: no bound) and return how long it takes alone; 0 for nothing."""
        ...


Durations = Callable[[LiveJob, int, int], int]
"""(job, stage, segment) -> nanoseconds alone; at most the segment's `cost_ns`, or the guarantee is off."""
Delays = Callable[[int, int], int]
"""(task, job) -> how long after the job's arrival its input comes; at most the task's `jitter_ns`."""


def worst_case(job: LiveJob, stage: int, segment: int) -> int:
    """Every segment takes its worst case."""
    return job.planned.stages[stage].segments[segment].cost_ns


class _Running:
    """What a lane works on. `left` is what remains, alone, in 2^-20 ns; `slow_milli` holds since `since_ns`."""

    __slots__ = ("demand_mbps", "ends_ns", "left", "number", "queue", "sensitivity_milli", "since_ns", "slow_milli")

    def __init__(self, number: int, sensitivity_milli: int) -> None:
        self.number = number
        self.sensitivity_milli = sensitivity_milli
        self.queue: list[tuple[int, int]] = []
        self.ends_ns = NEVER
        self.demand_mbps = self.left = self.since_ns = 0
        self.slow_milli = ALONE


class VirtualExecutor:
    """Owns the virtual clock. A delay or duration beyond its bound is what a test of the miss policies needs."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        durations: Durations = worst_case,
        delays: Delays | None = None,
        models: Sequence[StepModel] = (),
    ) -> None:
        self.dispatcher = dispatcher
        self._durations, self._models = durations, list(models)
        self._delays = delays or (lambda task, job: 0)
        contention = dispatcher.plan.task_set.contention
        self._capacity = contention.capacity_mbps
        lanes = dispatcher.plan.task_set.lanes
        self._lanes = [_Running(n, contention.sensitivity_milli(lane.name)) for n, lane in enumerate(lanes)]
        self._inputs = _Inputs(dispatcher, self._delays)
        self.now_ns = dispatcher.now_ns
        for stream, model in enumerate(self._models):
            if model.has_work:
                self._submit(dispatcher.offer(self.now_ns, stream, True))

    def run_until(self, end_ns: int) -> None:
        """Everything that happens before or at `end_ns`."""
        dispatcher, lanes, inputs = self.dispatcher, self._lanes, self._inputs
        while True:
            first = lanes[0]
            for lane in lanes:
                if lane.ends_ns < first.ends_ns:
                    first = lane
            now = first.ends_ns
            if dispatcher.next_wake_ns < now:
                now = dispatcher.next_wake_ns
            if inputs.next_ns < now:
                now = inputs.next_ns
            if now > end_ns:
                self.now_ns = max(self.now_ns, end_ns)
                return
            self.now_ns = now
            if first.ends_ns == now:
                self._end(first)
            elif inputs.next_ns == now:
                self._submit(dispatcher.arrive(now, inputs.pop()))
            else:
                self._submit(dispatcher.wake(now))

    def submit(self, submissions: Sequence[Submission]) -> None:
        """What the dispatcher answered to an event that came from outside."""
        self._submit(submissions)

    def _end(self, running: _Running) -> None:
        number = running.number
        stream = self.dispatcher.lanes[number].flying[0].stream
        alone, _ = running.queue.pop(0)
        if running.queue:
            self._begin(running)
        else:
            running.ends_ns, running.demand_mbps = NEVER, 0
        if self._capacity:
            self._adjust()
        if stream < 0:
            self._submit(self.dispatcher.ended(self.now_ns, number))
        elif self._models[stream].has_work:
            self._submit(self.dispatcher.ended(self.now_ns, number, alone > 1))
        else:
            self._submit(self.dispatcher.ended(self.now_ns, number, False))
            self._submit(self.dispatcher.offer(self.now_ns, stream, False))

    def _submit(self, placements: Sequence[Submission]) -> None:
        for placement in placements:
            running = self._lanes[placement.lane]
            running.queue.append(self._work(placement))
            if len(running.queue) == 1:
                self._begin(running)
        if placements and self._capacity:
            self._adjust()

    def _work(self, placement: Submission) -> tuple[int, int]:
        """How long it takes alone, and the bandwidth it draws."""
        if placement.job is not None:
            segment = placement.job.planned.stages[placement.stage].segments[placement.segment]
            return max(1, self._durations(placement.job, placement.stage, placement.segment)), segment.demand_mbps
        planned = self.dispatcher.plan.streams[placement.stream]
        budget = placement.budget_ns
        if budget > 0:
            budget = budget * ALONE // planned.slowdown_milli
        return max(1, self._models[placement.stream].step(budget)), planned.stream.demand_mbps

    def _begin(self, running: _Running) -> None:
        alone, running.demand_mbps = running.queue[0]
        running.left, running.since_ns, running.slow_milli = alone << _SHIFT, self.now_ns, ALONE
        running.ends_ns = self.now_ns + alone

    def _adjust(self) -> None:
        """Speeds for what runs now."""
        total = sum(each.demand_mbps for each in self._lanes)
        for each in self._lanes:
            if not each.queue:
                continue
            others = total - each.demand_mbps
            slow = slowdown_milli(self._capacity, each.sensitivity_milli, each.demand_mbps, others)
            if slow != each.slow_milli:
                done = ((self.now_ns - each.since_ns) << _SHIFT) * ALONE // each.slow_milli
                each.left, each.since_ns, each.slow_milli = max(0, each.left - done), self.now_ns, slow
                each.ends_ns = self.now_ns - (-each.left * slow // ALONE >> _SHIFT)


class _Inputs:
    """When the inputs of tasks with jitter come."""

    def __init__(self, dispatcher: Dispatcher, delays: Delays) -> None:
        self._delays = delays
        self._next: list[tuple[int, int, int]] = []
        for planned in dispatcher.plan.tasks:
            if planned.task.jitter_ns:
                arrival = dispatcher.next_arrival_ns[planned.number]
                self._next.append((arrival + delays(planned.number, 0), planned.number, 0))
        self._dispatcher = dispatcher
        self._base = list(dispatcher.next_arrival_ns)
        self.next_ns = min((each[0] for each in self._next), default=NEVER)

    def pop(self) -> int:
        """The task whose input comes now; its next one is made ready."""
        first = min(self._next)
        self._next.remove(first)
        _, number, index = first
        period = self._dispatcher.plan.tasks[number].task.period_ns
        arrival = self._base[number] + (index + 1) * period
        self._next.append((arrival + self._delays(number, index + 1), number, index + 1))
        self.next_ns = min(each[0] for each in self._next)
        return number
