"""Supervises one mission: brain and reflex are started, the one plans, the other carries out, both report."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from premotor_planners.task.decomposition import Decomposition
from premotor_planners.task.plan import Plan
from premotor_runtime.app import brain, reflex
from premotor_runtime.app.awake_core import AwakeCore
from premotor_runtime.app.child import STOP_TIMEOUT_S, Child, ProcessFailed
from premotor_runtime.app.core_sharing import LAYOUT, core_to_keep_awake, cores_left, share_a_core
from premotor_runtime.app.messages import (
    BrainReady,
    Planned,
    Progress,
    ReflexReady,
    ReflexReport,
    Stop,
)
from premotor_runtime.app.settings import RuntimeSettings
from premotor_runtime.app.supervised_brain import TICK_S, SupervisedBrain
from premotor_runtime.executor.robot import Plant
from premotor_runtime.processes.affinity import kept_on
from premotor_runtime.processes.board import Board, OwnedBoard
from premotor_runtime.processes.output_pump import PassedOn
from premotor_runtime.processes.supervisor import Incident

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
    """What became of it so far; what was not reached is None. `report` stays None for a question or a refusal.

    `incidents` are the failures of the brain, all of which were put right or did not matter any more.
    """

    brain: BrainReady | None = None
    planned: Planned | None = None
    report: ReflexReport | None = None
    interrupted: bool = False
    incidents: tuple[Incident, ...] = field(default=())


def run_mission(spec: MissionSpec, events: MissionEvents) -> Mission:
    """Run one mission to its end. Ctrl-C at any time brakes the robot and returns what there is, marked interrupted.

    A brain that is lost is restarted and asked again, and not waited for while the robot moves. Raises ProcessFailed
    when the reflex is lost or one of them cannot start, BrainUnavailable when the brain is lost too often to plan.
    """
    mission = Mission()
    events.starting()
    usable = frozenset(os.sched_getaffinity(0))
    with (
        OwnedBoard(LAYOUT) as board,
        AwakeCore(core_to_keep_awake(spec.settings.cores, usable)),
        Child("reflex", reflex.main, (spec.world, spec.settings, spec.plant, spec.seed, board.name)) as body,
        kept_on(cores_left(spec.settings.cores, usable)),
        SupervisedBrain(lambda: _brain(spec, board, usable), board, spec.settings.supervision) as mind,
    ):
        try:
            _plan_and_execute(spec, events, mission, body, mind, board)
        except KeyboardInterrupt:
            mission.interrupted = True
            body.send(Stop("interrupted"))
            mission.report = body.expect(ReflexReport, STOP_TIMEOUT_S)
        mission.incidents = mind.incidents
    return mission


def _brain(spec: MissionSpec, board: Board, usable: frozenset[int]) -> Child:
    shared = share_a_core(spec.settings.cores, usable)
    return Child("brain", brain.main, (spec.world, spec.settings, board.name, shared), PassedOn("brain"))


def _plan_and_execute(
    spec: MissionSpec, events: MissionEvents, mission: Mission, body: Child, mind: SupervisedBrain, board: Board
) -> None:
    reflex_ready = body.expect(ReflexReady, START_TIMEOUT_S)
    mission.brain = mind.wait_ready(START_TIMEOUT_S)
    events.ready(mission.brain, reflex_ready)
    mission.planned = mind.plan(spec.task, PLAN_TIMEOUT_S)
    events.planned(mission.planned.decomposition)
    plan = mission.planned.decomposition.plan
    if plan is not None:
        board.plan_sender().send(pickle.dumps(plan))
        mission.report = _follow(body, plan, spec.settings.mission_timeout_s, events, mind)


def _follow(body: Child, plan: Plan, timeout_s: float, events: MissionEvents, mind: SupervisedBrain) -> ReflexReport:
    give_up = time.monotonic() + timeout_s
    stopping = False
    while True:
        mind.tick()
        message = body.receive(min(TICK_S, give_up - time.monotonic()))
        if isinstance(message, ReflexReport):
            return message
        if isinstance(message, Progress):
            events.progress(plan, message)
        if time.monotonic() < give_up:
            continue
        if stopping:
            raise ProcessFailed(f"the reflex process gave no report within {STOP_TIMEOUT_S:g} s of being stopped")
        body.send(Stop(f"the mission took longer than {timeout_s:g} s"))
        give_up, stopping = time.monotonic() + STOP_TIMEOUT_S, True
