"""What the reflex listens to once a period: the board's mailbox, the supervisor's pipe, the brain's heart."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from multiprocessing.connection import Connection

from premotor_planners.task.plan import Plan
from premotor_runtime.app.executive import Executive
from premotor_runtime.app.messages import Shutdown, Stop
from premotor_runtime.app.motion_kit import MotionKit
from premotor_runtime.app.motion_task import MotionTask
from premotor_runtime.executor.clock import MonotonicClock
from premotor_runtime.executor.robot import Observation, Plant
from premotor_runtime.processes.absence import Absence
from premotor_runtime.processes.board import Board
from premotor_runtime.processes.settings import Supervision


class Attended(MotionTask):
    """The motion task with a look at the orders at the start of every period."""

    def __init__(self, attend: Callable[[], None], plant: Plant, kit: MotionKit, clock: MonotonicClock) -> None:
        super().__init__(plant, kit, clock)
        self._robot, self._attend = plant, attend

    def cancel(self, reason: str) -> None:
        """Give up what is being done, brake, and end."""
        self._robot.cancel_skill()
        if self.executive is not None:
            self.executive.stop(self._clock.now(), reason)
        self.ended = True

    def sense(self, elapsed_s: float) -> Observation:
        """See `MotionTask.sense`."""
        observation = super().sense(elapsed_s)
        self._attend()
        return observation


class Orders:
    """Takes plans and stops, without waiting for any; the newest plan takes the place of the one before."""

    def __init__(
        self, pipe: Connection, board: Board, task: Attended, kit: MotionKit, settings: Supervision,
        clock: MonotonicClock,
    ) -> None:  # fmt: skip
        self._pipe, self._task, self._kit, self._clock = pipe, task, kit, clock
        self._plans = board.plan_taker()
        self._brain = board.heartbeat_reader("brain")
        self._absence = Absence(settings.watch.silence_s)
        self._stop_without = settings.without_brain == "stop"
        self.started_s: float | None = None
        self.report_wanted = True

    def take(self) -> None:
        """Once a period."""
        self._read_pipe()
        now_s = self._clock.now()
        letter = self._plans.take(int(now_s * 1e9))
        if letter is not None:
            self._execute(pickle.loads(letter.content), now_s)  # noqa: S301 - the board is this user's alone
        if self._stop_without and self._absence.lasts_too_long(self._brain.read(), now_s):
            self._task.cancel("the brain is gone")

    def _execute(self, plan: Plan, now_s: float) -> None:
        dock = next((place.name for place in self._kit.surroundings.world.places if place.kind == "dock"), None)
        self.started_s = now_s
        self._task.executive = Executive(plan, self._kit.goal_of, dock)

    def _read_pipe(self) -> None:
        try:
            while self._pipe.poll(0):
                self._obey(self._pipe.recv())
        except (EOFError, OSError):
            self._abandon("the supervisor is gone")

    def _obey(self, order: object) -> None:
        if isinstance(order, Stop):
            self._task.cancel(order.reason)
        elif isinstance(order, Shutdown):
            self._abandon("shut down")

    def _abandon(self, reason: str) -> None:
        self.report_wanted = False
        self._task.cancel(reason)
