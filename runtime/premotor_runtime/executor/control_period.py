"""A period of the control loop: sense, decide on the lane, and what the miss ladder says, guarded and sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, cast

from premotor_runtime.executor.control_plan import level_of
from premotor_runtime.executor.control_task import Command, ControlTask, Observation, PeriodListener
from premotor_runtime.executor.period_log import Period, PeriodLog
from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.live import LiveJob


class ControlPeriod(Generic[Observation, Command]):
    """The worker behind task 0 of a dispatcher (see `realtime.Worker`). `halted` says why nothing may move, or nothing.

    `raw_s` maps scheduler time to seconds of the loop's clock.
    """

    def __init__(
        self,
        task: ControlTask[Observation, Command],
        dispatcher: Dispatcher,
        log: PeriodLog,
        listener: PeriodListener,
        now_ns: Callable[[], int],
        raw_s: Callable[[int], float],
        halted: Callable[[], str],
    ) -> None:
        self.finished = task.finished
        self._task, self._dispatcher, self._log, self._listener = task, dispatcher, log, listener
        self._now_ns, self._raw_s, self._halted = now_ns, raw_s, halted
        self._observation: Observation | None = None
        self._value: Command | None = None
        self._at_work = 0
        self._started_ns = self._sensed_ns = dispatcher.now_ns
        self._release_ns: int | None = None
        self._next_ns = dispatcher.next_arrival_ns[0]
        self._counted = 0
        self._reason = ""

    def sense(self, job: LiveJob) -> None:
        """See `Worker.sense`."""
        self._release_ns = job.arrival_ns
        self._look()

    def segment(self, job: LiveJob, stage: int, segment: int) -> Callable[[], object]:
        """See `Worker.segment`."""
        task, observation = self._task, cast("Observation", self._observation)
        level = level_of(job.planned.task, task.levels)
        self._at_work += 1
        return lambda: task.decide(observation, level)

    def ended(self, job: LiveJob, value: object, error: str) -> None:
        """See `Worker.ended`."""
        self._at_work -= 1
        self._value = cast("Command | None", value)
        if error:
            self._log.errors.append(error)

    def settle(self, now_ns: int) -> None:
        """See `Worker.settle`: one command, whatever has come together."""
        periods, missed = self._news()
        command = self._choose(self._seen())
        self._task.act(self._task.guard(self._seen(), command))
        self._log.skipped(periods - 1)
        raw_s, acted = self._raw_s, self._now_ns()
        release, started, sensed = self._began(now_ns)
        self._log.add(Period(raw_s(release), raw_s(started), raw_s(sensed), raw_s(now_ns), raw_s(acted), missed))
        self._release_ns, self._next_ns = None, self._next_unseen_ns()
        if not self._at_work:
            self._task.prepare()
        self._listener.period_ended(raw_s(self._now_ns()), self._next_release_s())
        self.finished = self._task.finished

    def _look(self) -> None:
        now = self._now_ns()
        elapsed = now - self._started_ns
        self._started_ns = now
        self._listener.period_begins(self._raw_s(now), self._next_release_s())
        self._observation = self._task.sense(elapsed / 1e9)
        self._sensed_ns = self._now_ns()

    def _began(self, now_ns: int) -> tuple[int, int, int]:
        """Release, start and end of sensing. A release whose deadline passed unseen began when that was found out."""
        if self._release_ns is None:
            return self._next_ns, now_ns, now_ns
        return self._release_ns, self._started_ns, self._sensed_ns

    def _next_unseen_ns(self) -> int:
        waiting = (job.arrival_ns for job in self._dispatcher.jobs if job.number == 0 and job.waiting)
        return min(waiting, default=self._dispatcher.next_arrival_ns[0])

    def _seen(self) -> Observation:
        """The newest observation; releases may have passed before there was any."""
        if self._observation is None:
            self._look()
        return cast("Observation", self._observation)

    def _news(self) -> tuple[int, bool]:
        """How many periods were settled at once, and whether the last one was missed."""
        misses = self._dispatcher.misses
        before, self._counted = self._counted, misses.counters[0].periods
        return self._counted - before, misses.states[0].in_a_row > 0

    def _choose(self, observation: Observation) -> Command:
        state = self._dispatcher.misses.states[0]
        action = self._dispatcher.ladder.action(state)
        if self._stopped():
            return self._task.brake(observation)
        if action == "use" and self._value is not None:
            return self._value
        if action == "hold_shifted":
            return self._task.hold_shifted(observation, state.in_a_row)
        return self._task.fallback(observation) if action == "fallback" else self._task.brake(observation)

    def _stopped(self) -> bool:
        reason = self._halted()
        if reason and reason != self._reason:
            self._log.errors.append(reason)
        self._reason = reason
        return bool(reason)

    def _next_release_s(self) -> float:
        return self._raw_s(self._dispatcher.next_arrival_ns[0])
