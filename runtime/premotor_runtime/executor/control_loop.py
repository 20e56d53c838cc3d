"""The one loop. A period: sense, decide by the deadline, guard, act."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from premotor_foundation.strict_yaml import limited
from premotor_runtime.executor.clock import Clock
from premotor_runtime.executor.job import Job
from premotor_runtime.executor.lane import Lane
from premotor_runtime.executor.miss_policy import MissPolicy
from premotor_runtime.executor.period_log import Period, PeriodLog

Observation = TypeVar("Observation")
Command = TypeVar("Command")


@dataclass(frozen=True)
class ControlTiming:
    """Period and deadline of the control job; the deadline counts from the release."""

    rate_hz: float = limited(at_least=1.0, at_most=200.0, default=20.0)
    deadline_ms: float = limited(above=0.0, at_most=1000.0, default=40.0)

    def __post_init__(self) -> None:
        """Refuse a deadline beyond the period: the next release would find this one unfinished by design."""
        if self.deadline_ms > self.period_s * 1e3:
            raise ValueError(
                f"`deadline_ms` is {self.deadline_ms:g}; it must be at most the period, {self.period_s * 1e3:g} ms"
            )

    @property
    def period_s(self) -> float:
        """Seconds from one release to the next."""
        return 1.0 / self.rate_hz


class ControlTask(Protocol[Observation, Command]):
    """What the loop runs each period. Only `decide` may take long; it runs on the lane and touches no actuator."""

    @property
    def finished(self) -> bool:
        """Whether the loop may end after this period."""
        ...

    def sense(self, elapsed_s: float) -> Observation:
        """The newest state and scan; `elapsed_s` is the time since the last call (a simulated robot moves on by it)."""
        ...

    def decide(self, observation: Observation) -> Command:
        """The command wanted for this period."""
        ...

    def hold_shifted(self, observation: Observation, periods: int) -> Command:
        """The last decided plan, `periods` steps on."""
        ...

    def brake(self, observation: Observation) -> Command:
        """The command that stops the robot."""
        ...

    def guard(self, observation: Observation, command: Command) -> Command:
        """The safety gate: last before every command, whatever its origin."""
        ...

    def act(self, command: Command) -> None:
        """Send the command to the robot."""
        ...


class ControlLoop(Generic[Observation, Command]):
    """Runs a control task at a fixed rate on absolute releases, so that lateness never accumulates."""

    def __init__(
        self,
        task: ControlTask[Observation, Command],
        lane: Lane,
        timing: ControlTiming,
        policy: MissPolicy,
        clock: Clock,
        log: PeriodLog,
    ) -> None:
        self._task = task
        self._lane = lane
        self._timing = timing
        self._policy = policy
        self._clock = clock
        self._log = log
        self._misses_in_a_row = 0
        self._last_sensed_s: float | None = None

    def run(self) -> None:
        """Loop until the task is finished. A release whose whole period passed by is counted as missed."""
        release = self._clock.now()
        while not self._task.finished:
            self._clock.sleep_until(release)
            self._period(release)
            release = self._next_release(release)

    def _period(self, release: float) -> None:
        started = self._clock.now()
        observation = self._task.sense(self._elapsed(started))
        sensed = self._clock.now()
        job = Job("control", "reflex", release, release + self._timing.deadline_ms * 1e-3, "hard")
        outcome = self._lane.run(job, lambda: self._task.decide(observation))
        if outcome.error:
            self._log.errors.append(outcome.error)
        self._misses_in_a_row = self._misses_in_a_row + 1 if outcome.missed else 0
        decided = self._clock.now()
        command = self._choose(observation, outcome.value)
        self._task.act(self._task.guard(observation, command))
        self._log.add(Period(release, started, sensed, decided, self._clock.now(), outcome.missed))

    def _choose(self, observation: Observation, value: Command | None) -> Command:
        action = self._policy.action(self._misses_in_a_row)
        if action == "use" and value is not None:
            return value
        if action == "hold_shifted":
            return self._task.hold_shifted(observation, self._misses_in_a_row)
        return self._task.brake(observation)

    def _elapsed(self, now: float) -> float:
        last = self._last_sensed_s if self._last_sensed_s is not None else now
        self._last_sensed_s = now
        return now - last

    def _next_release(self, release: float) -> float:
        behind = self._clock.now() - release
        skipped = max(0, math.ceil(behind / self._timing.period_s - 1e-9) - 1)
        self._log.skipped(skipped)
        return release + (skipped + 1) * self._timing.period_s
