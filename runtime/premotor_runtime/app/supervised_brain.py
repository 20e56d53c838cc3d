"""The brain as the mission sees it: it is asked for a plan, and it is there again when it was gone."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from premotor_foundation.errors import EXIT_FAILED
from premotor_runtime.app.child import Child, ProcessEnded, ProcessFailed
from premotor_runtime.app.messages import BrainReady, Failed, Planned, PlanTask
from premotor_runtime.processes.board import Board
from premotor_runtime.processes.errors import BrainUnavailable
from premotor_runtime.processes.settings import Supervision
from premotor_runtime.processes.supervisor import Incident, Process, Supervisor

TICK_S = 0.05
Message = TypeVar("Message")


class SupervisedBrain:
    """Starts it at once. While anything is waited for, `tick` some ten times a second. Leaving the context ends it."""

    def __init__(self, start: Callable[[], Child], board: Board, settings: Supervision) -> None:
        self._make = start
        self._child: Child
        self._started = False
        self._words: Failed | None = None
        self._supervisor = Supervisor(self._start, board.heartbeat_reader("brain"), settings, time.monotonic())
        self.ready: BrainReady | None = None

    def __enter__(self) -> SupervisedBrain:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.end()
        self._supervisor.end()

    @property
    def incidents(self) -> tuple[Incident, ...]:
        """What went wrong so far, and how long it took to be put right."""
        return tuple(self._supervisor.incidents)

    @property
    def available(self) -> bool:
        """Whether it runs, or is about to be started again as it may be."""
        return self._supervisor.available

    @property
    def pid(self) -> int | None:
        """Of the running process; None while there is none."""
        return None if self._supervisor.process is None else self._supervisor.process.pid

    def tick(self) -> None:
        """Watch over it; never waits long, never raises."""
        self._supervisor.tick(time.monotonic())

    def send(self, message: object) -> None:
        """To the running process, if there is one."""
        if self._supervisor.process is None:
            return
        try:
            self._child.send(message)
        except ProcessFailed:
            self._supervisor.report("ended", time.monotonic())

    def wait_ready(self, timeout_s: float) -> BrainReady:
        """Until a model is loaded. Raises as `plan` does."""
        return self._expect(BrainReady, None, timeout_s)

    def wait_served(self, timeout_s: float) -> float:
        """Until the running process was seen to serve: how many seconds after its start. Raises ProcessFailed."""
        give_up = time.monotonic() + timeout_s
        while self._supervisor.served_s is None and time.monotonic() < give_up:
            time.sleep(TICK_S)
            self.tick()
        if self._supervisor.served_s is None:
            raise ProcessFailed(f"the brain process did not serve within {timeout_s:g} s; is the machine busy?")
        return self._supervisor.served_s - self._supervisor.started_s

    def plan(self, task: str, timeout_s: float) -> Planned:
        """Have it plan; a brain that is lost over it is restarted and asked again.

        Raises ProcessFailed when it says itself that it cannot go on, or says nothing for so long; BrainUnavailable
        when it was lost more often than the policy restarts it.
        """
        self.send(PlanTask(task))
        return self._expect(Planned, PlanTask(task), timeout_s)

    def _expect(self, kind: type[Message], order: object, timeout_s: float) -> Message:
        give_up = time.monotonic() + timeout_s
        while (now := time.monotonic()) < give_up:
            message = self._receive(min(TICK_S, give_up - now))
            if isinstance(message, BrainReady) and order is not None:
                self.send(order)
            if isinstance(message, kind):
                return message
            self.tick()
            self._check()
        raise ProcessFailed(f"the brain process said nothing for {timeout_s:g} s; is the machine busy?")

    def _receive(self, timeout_s: float) -> object | None:
        if self._supervisor.process is None:
            time.sleep(timeout_s)
            return None
        try:
            message = self._child.receive(timeout_s)
        except ProcessFailed as error:
            if not isinstance(error, ProcessEnded):
                self._words = Failed(str(error), error.exit_code)
            self._supervisor.report("ended", time.monotonic())
            self._check()
            return None
        if isinstance(message, BrainReady):
            self.ready = message
        return message

    def _check(self) -> None:
        """Raise what will not be better the next time: why it could not start, or that there will be no other."""
        words = self._words or self._child.last_words
        if words is not None and (self.ready is None or words.exit_code != EXIT_FAILED):
            raise ProcessFailed(words.message, words.exit_code)
        if self._supervisor.available:
            return
        faults = ", ".join(incident.fault for incident in self._supervisor.incidents)
        raise BrainUnavailable(
            f"the brain is unavailable: it was lost {len(self._supervisor.incidents)} times ({faults}); see what it "
            "printed, give it more memory or a smaller model, or allow more under `supervision`"
        )

    def _start(self) -> Process:
        if self._started:
            self._words = self._child.last_words
        self._child, self._started = self._make(), True
        return self._child
