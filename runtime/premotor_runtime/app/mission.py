"""Supervises one mission: brain and reflex are started, the one plans, the other carries out, both report."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from premotor_planners.task.decomposition import Decomposition
from premotor_planners.task.plan import Plan
from premotor_runtime.app import brain, reflex
from premotor_runtime.app.child import STOP_TIMEOUT_S, Child, ProcessFailed
from premotor_runtime.app.messages import (
    BrainReady,
    Execute,
    Planned,
    PlanTask,
    Progress,
    ReflexReady,
    ReflexReport,
    Stop,
)
from premotor_runtime.app.settings import RuntimeSettings
from premotor_runtime.executor.robot import Plant

START_TIMEOUT_S = 300.0
PLAN_TIMEOUT_S = 120.0


class MissionEvents(Protocol):
    """What a mission tells while it runs."""

    def starting(self) -> None:
        """The processes are being started; this can take some seconds."""
        ...

    def ready(self, brain: BrainReady, reflex: ReflexReady) -> None:
        """Both processes are up; the control loop runs."""
        ...

    def planned(self, decomposition: Decomposition) -> None:
        """The words have become a plan, a question or a refusal."""
        ...

    def progress(self, plan: Plan, progress: Progress) -> None:
        """The robot moves."""
        ...


@dataclass(frozen=True)
class MissionSpec:
    """What to do, where and with what. `plant` makes the robot inside the reflex process, so it must be picklable."""

    task: str
    world: Path
    settings: RuntimeSettings
    plant: Callable[[], Plant]
    seed: int


@dataclass
class Mission:
    """What became of it so far; what was not reached is None. `report` stays None for a question or a refusal."""

    brain: BrainReady | None = None
    planned: Planned | None = None
    report: ReflexReport | None = None
    interrupted: bool = False


def run_mission(spec: MissionSpec, events: MissionEvents) -> Mission:
    """Run one mission to its end. Ctrl-C at any time brakes the robot and returns what there is, marked interrupted.

    Raises ProcessFailed when a process cannot start or dies.
    """
    mission = Mission()
    events.starting()
    with (
        Child("reflex", reflex.main, (spec.world, spec.settings, spec.plant, spec.seed)) as body,
        Child("brain", brain.main, (spec.world, spec.settings)) as mind,
    ):
        try:
            _plan_and_execute(spec, events, mission, body, mind)
        except KeyboardInterrupt:
            mission.interrupted = True
            body.send(Stop("interrupted"))
            mission.report = body.expect(ReflexReport, STOP_TIMEOUT_S)
    return mission


def _plan_and_execute(spec: MissionSpec, events: MissionEvents, mission: Mission, body: Child, mind: Child) -> None:
    reflex_ready = body.expect(ReflexReady, START_TIMEOUT_S)
    mission.brain = mind.expect(BrainReady, START_TIMEOUT_S)
    events.ready(mission.brain, reflex_ready)
    mind.send(PlanTask(spec.task))
    mission.planned = mind.expect(Planned, PLAN_TIMEOUT_S)
    events.planned(mission.planned.decomposition)
    plan = mission.planned.decomposition.plan
    if plan is not None:
        body.send(Execute(plan))
        mission.report = _follow(body, plan, spec.settings.mission_timeout_s, events)


def _follow(body: Child, plan: Plan, timeout_s: float, events: MissionEvents) -> ReflexReport:
    give_up = time.monotonic() + timeout_s
    stopping = False
    while True:
        message = body.receive(give_up - time.monotonic())
        if isinstance(message, ReflexReport):
            return message
        if isinstance(message, Progress):
            events.progress(plan, message)
        if message is None and stopping:
            raise ProcessFailed(f"the reflex process gave no report within {STOP_TIMEOUT_S:g} s of being stopped")
        if message is None:
            body.send(Stop(f"the mission took longer than {timeout_s:g} s"))
            give_up, stopping = time.monotonic() + STOP_TIMEOUT_S, True
