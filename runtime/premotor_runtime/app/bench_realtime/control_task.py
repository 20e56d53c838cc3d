"""The benchmark's control task: the scene's period in, the work, the gate, and a command that is kept."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_planners.motion.state import Command, Goal, LaserScan, RobotState
from premotor_runtime.app.bench_realtime.control_work import ControlWork
from premotor_runtime.app.bench_realtime.scene import Scene
from premotor_runtime.executor.clock import Clock
from premotor_runtime.executor.period_log import PeriodLog


@dataclass(frozen=True)
class Seen:
    """The newest state and scan, and where to go."""

    state: RobotState
    scan: LaserScan
    goal: Goal


class BenchTask:
    """`ControlTask` of the benchmark; runs in slices of so many releases, counted by `log`.

    Every set-up is to carry the same load: there is no smaller version of the work to fall back to.
    """

    levels = 0

    def __init__(self, work: ControlWork, scene: Scene, clock: Clock, log: PeriodLog) -> None:
        self._work, self._scene, self._clock, self._log = work, scene, clock, log
        self._origin_s = 0.0
        self._first = 0
        self._last = 0
        self.commands = 0
        self.sum_v_mps = 0.0

    @property
    def finished(self) -> bool:
        """Whether the slice's releases have passed."""
        return self._log.ticks >= self._last

    def begin(self, releases: int) -> None:
        """Start a slice now; its first release is at once."""
        self._origin_s = self._clock.now()
        self._first, self._last = self._log.ticks, self._log.ticks + releases

    def sense(self, elapsed_s: float) -> Seen:
        """What the sensors say now: the period that the clock is in, not the one that is being answered."""
        passed = (self._clock.now() - self._origin_s) / self._scene.period_s
        number = self._first + int(passed + 1e-6)
        return Seen(self._scene.state(number), self._scene.scan(number), self._scene.goal(number))

    def decide(self, observation: Seen, level: int = 0) -> Command:
        """The whole work of a period but the gate."""
        return self._work.decide(observation.state, observation.scan, observation.goal)

    def hold_shifted(self, observation: Seen, periods: int) -> Command:
        """The last plan, one period on."""
        return self._work.shifted()

    def brake(self, observation: Seen) -> Command:
        """Stop."""
        return self._work.brake(observation.state)

    def fallback(self, observation: Seen) -> Command:
        """Stop."""
        return self.brake(observation)

    def rehearse(self, level: int) -> None:
        """One period's work on the scene's first scan."""
        self.decide(Seen(self._scene.state(0), self._scene.scan(0), self._scene.goal(0)))

    def guard(self, observation: Seen, command: Command) -> Command:
        """The safety gate."""
        return self._work.guard(command, observation.scan, observation.state)

    def act(self, command: Command) -> None:
        """Where a base would be told: counted, and summed so that two runs can be compared."""
        self.commands += 1
        self.sum_v_mps += command.v_mps

    def prepare(self) -> None:
        """The noise of the next period."""
        self._work.prepare()


class IdleTask:
    """A control task without any work: what is late then is the machine."""

    levels = 0

    def __init__(self, log: PeriodLog) -> None:
        self._log, self._last = log, 0
        self.commands, self.sum_v_mps = 0, 0.0

    @property
    def finished(self) -> bool:
        """Whether the slice's releases have passed."""
        return self._log.ticks >= self._last

    def begin(self, releases: int) -> None:
        """Start a slice now."""
        self._last = self._log.ticks + releases

    def sense(self, elapsed_s: float) -> None:
        """Nothing."""

    def decide(self, observation: None, level: int = 0) -> bool:
        """Anything but None."""
        return True

    def hold_shifted(self, observation: None, periods: int) -> bool:
        """As `decide`."""
        return True

    def brake(self, observation: None) -> bool:
        """As `decide`."""
        return True

    def fallback(self, observation: None) -> bool:
        """As `decide`."""
        return True

    def rehearse(self, level: int) -> None:
        """Nothing."""

    def guard(self, observation: None, command: bool) -> bool:
        """The command."""
        return command

    def act(self, command: bool) -> None:
        """Count."""
        self.commands += 1

    def prepare(self) -> None:
        """Nothing."""
