"""The control task of a mobile robot: the executive's directive becomes a gated command, once a period."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace
from typing import cast

import numpy as np

from premotor_planners.motion.state import STOP, Command, LaserScan, RobotState
from premotor_planners.motion.stopping import Held
from premotor_planners.motion.trust import Cycle
from premotor_planners.world.model import Pose
from premotor_runtime.app.driver import Driver, Motion
from premotor_runtime.app.executive import Directive, Drive, DriveStatus, Executive, Perform, Rest
from premotor_runtime.app.motion_kit import MotionKit
from premotor_runtime.executor.clock import Clock
from premotor_runtime.executor.period_log import CAPACITY
from premotor_runtime.executor.robot import Observation, Plant, SimulatedPlant

TRACE_STEP_M = 0.02
STILL_MPS, STILL_RPS = 0.05, 0.1
"""Below these measured speeds the base stands."""
Footprint = tuple[int, float, float]
"""Plan step (-1 before the first), x and y in metres."""
IDLE = DriveStatus("idle")


class MotionTask:
    """Satisfies `ControlTask`. `executive` may be set while the loop runs; None means hold still."""

    def __init__(self, plant: Plant, kit: MotionKit, clock: Clock) -> None:
        self.executive: Executive | None = None
        self.ended = False
        self.driven: list[Footprint] = []
        self.planned: dict[int, tuple[tuple[float, float], ...]] = {}
        self.work: deque[str] = deque(maxlen=CAPACITY)
        self.stops: deque[str] = deque(maxlen=100)
        self._plant = plant
        self._simulated = cast(SimulatedPlant, plant) if hasattr(plant, "advance") else None
        self.truth_at_start = None if self._simulated is None else self._simulated.truth()
        self._kit = kit
        self._clock = clock
        self._driver = Driver(kit)
        self._directive: Directive = Rest()
        self._motion = Motion(STOP, np.zeros((1, 2), np.float32), self._directive, IDLE, "rest")
        self._sent = STOP
        under_way = round(kit.surroundings.robot.command_delay_s / kit.period_s)
        self._under_way: deque[Command] = deque([STOP] * under_way, under_way)
        self._still = True
        self._sensed_at = clock.now()
        self._scan_pose: Pose = (0.0, 0.0, 0.0)
        self._scan_stamp = -math.inf

    @property
    def finished(self) -> bool:
        """Whether the loop may end: told to, and standing."""
        return self.ended and self._sent == STOP and self._still

    @property
    def speed_mps(self) -> float:
        """The forward speed that was commanded last."""
        return self._sent.v_mps

    @property
    def remaining_m(self) -> float | None:
        """Metres of planned way left from the robot's last cell; None while no route is followed."""
        route = self._motion.route
        if route is None or not self.driven:
            return None
        left = route.left_m(self.driven[-1][1:])
        return left if math.isfinite(left) else None

    @property
    def levels(self) -> int:
        """How many smaller versions of a period's computation there are."""
        return self._kit.controller.levels

    def sense(self, elapsed_s: float) -> Observation:
        """Move a simulated robot on, read the newest observation, and let the executive judge what was reached."""
        if self._simulated is not None:
            self._simulated.advance(elapsed_s)
        observation = self._plant.sense()
        self._sensed_at = self._clock.now()
        self._still = abs(observation.v) < STILL_MPS and abs(observation.w) < STILL_RPS
        self._trace(observation)
        self._direct(observation)
        return observation

    def decide(self, observation: Observation, level: int = 0) -> Motion:
        """See `Driver.decide`."""
        return self._driver.decide(self._directive, _state(observation), self._scan(observation), self._sent, level)

    def rehearse(self, level: int) -> None:
        """See `Driver.rehearse`."""
        self._driver.rehearse(level)

    def hold_shifted(self, observation: Observation, periods: int) -> Motion:
        """The sequence decided last, `periods` rows on (its last row where it is shorter); a stop for another order."""
        if self._motion.directive is not self._directive:
            return self.brake(observation)
        row = self._motion.sequence[min(periods, len(self._motion.sequence) - 1)]
        return replace(self._motion, command=Command(float(row[0]), float(row[1])), work="hold")

    def fallback(self, observation: Observation) -> Motion:
        """A stop: without a decision in time there is nothing safer."""
        return self.brake(observation)

    def brake(self, observation: Observation) -> Motion:
        """Stop; the base brakes at its own limit."""
        return replace(self._motion, command=STOP, sequence=np.zeros((1, 2), np.float32), work="brake")

    def guard(self, observation: Observation, command: Motion) -> Motion:
        """The safety gate, on the plant's own time, so that a scan that stopped coming is seen to age.

        What the base has not yet obeyed counts; what was decided in a period that began before a cancel is not sent.
        """
        now = observation.stamp_s + (self._clock.now() - self._sensed_at)
        cycle = Cycle(self._sensed_at, None if self.executive is None else self.executive.stopped_s)
        pending = tuple(Held(sent, self._kit.period_s) for sent in self._under_way)
        passed = self._kit.gate.check(
            command.command, self._scan(observation), _state(observation), now, pending, cycle=cycle
        )
        if passed.verdict == "stopped" and command.command != STOP:
            self.stops.append(passed.reason)
        return replace(command, command=passed.command)

    def act(self, command: Motion) -> None:
        """Send it, and keep what it said of the drive."""
        self._plant.command(command.command.v_mps, command.command.w_rps)
        self._sent = command.command
        self._under_way.append(command.command)
        if command.route is not None and isinstance(command.directive, Drive):
            self.planned.setdefault(command.directive.step, command.route.path)
        self._motion = command
        self.work.append(command.work)

    def prepare(self) -> None:
        """See `Controller.prepare`."""
        self._kit.controller.prepare()

    def _direct(self, observation: Observation) -> None:
        if self.executive is None:
            return
        status = self._motion.status if self._motion.directive is self._directive else DriveStatus("driving")
        directive = self.executive.update(self._clock.now(), status, self._plant.skill_status())
        if directive is not self._directive and isinstance(directive, Perform):
            self._plant.start_skill(directive.request)
        self._directive = directive

    def _trace(self, observation: Observation) -> None:
        if observation.scan_stamp_s != self._scan_stamp:
            self._scan_stamp, self._scan_pose = (
                observation.scan_stamp_s,
                (observation.x, observation.y, observation.yaw),
            )
        step = -1 if self.executive is None else self.executive.current
        here = (observation.x, observation.y)
        last = self.driven[-1] if self.driven else None
        if last is None or last[0] != step or math.dist(last[1:], here) >= TRACE_STEP_M:
            self.driven.append((step, *here))

    def _scan(self, observation: Observation) -> LaserScan:
        return LaserScan(
            observation.scan_stamp_s,
            observation.ranges,
            observation.range_min,
            observation.range_max,
            observation.angle_min,
            observation.angle_increment,
            self._scan_pose,
        )


def _state(observation: Observation) -> RobotState:
    o = observation
    return RobotState(o.x, o.y, o.yaw, o.v, o.w, o.stamp_s)
