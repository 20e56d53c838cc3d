"""One fault: a drive through the house, the fault in the middle of it, and what became of both processes."""

from __future__ import annotations

import os
import pickle
import signal
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from premotor_planners.task.plan import NavigateTo, Plan
from premotor_runtime.app import reflex
from premotor_runtime.app.awake_core import AwakeCore
from premotor_runtime.app.bench_faults import busy_brain
from premotor_runtime.app.bench_faults.busy_brain import BusyBrain, Misbehave
from premotor_runtime.app.bench_faults.core_watch import CoreWatch
from premotor_runtime.app.bench_faults.full_disk import FillingDisk
from premotor_runtime.app.bench_faults.moving_base import MakeBase
from premotor_runtime.app.bench_faults.settings import (
    INJECT_AFTER_S,
    LOG_BYTES,
    MOST_DRIVE_S,
    SETTLE_S,
    TIMING,
    FaultName,
    FaultSettings,
    supervision,
)
from premotor_runtime.app.child import Child, ProcessFailed
from premotor_runtime.app.core_sharing import LAYOUT, core_to_keep_awake, cores_left, share_a_core
from premotor_runtime.app.core_witness import Stall
from premotor_runtime.app.messages import Progress, ReflexReady, ReflexReport, Stop
from premotor_runtime.app.settings import Cores, RuntimeSettings
from premotor_runtime.app.supervised_brain import TICK_S, SupervisedBrain
from premotor_runtime.executor.rights import Rights
from premotor_runtime.processes.affinity import kept_on
from premotor_runtime.processes.board import OwnedBoard
from premotor_runtime.processes.bounded_log import BoundedLog
from premotor_runtime.processes.supervisor import Incident

ROBOT = "disc"
PLAN = Plan((NavigateTo("kitchen counter"), NavigateTo("study desk")), "fallback")
START_TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Trial:
    """`injected_s` and the incidents on one clock; `start_up_s` is how long the first brain took to serve.

    `speed_mps` is the robot's when it happened, `log_bytes` what the brain's log came to on the disk. `stalls` are
    those of the reflex's core, None where no witness could be there.
    """

    fault: FaultName
    rights: Rights
    start_up_s: float
    injected_s: float
    speed_mps: float
    incidents: tuple[Incident, ...]
    available: bool
    report: ReflexReport
    log_bytes: int
    lost_log_bytes: int
    stalls: tuple[Stall, ...] | None = None


def run_trial(fault: FaultName, settings: FaultSettings) -> Trial:
    """Raises ProcessFailed when the reflex, or the first brain, fails by itself."""
    cores = Cores(settings.reflex_core, settings.brain_core, sched_fifo=True, keep_awake=True)
    runtime = RuntimeSettings(ROBOT, control=TIMING, cores=cores, supervision=supervision(fault))
    usable = frozenset(os.sched_getaffinity(0))
    disk = FillingDisk()
    base = MakeBase(settings.world, ROBOT)
    with (
        tempfile.TemporaryDirectory() as folder,
        OwnedBoard(LAYOUT) as board,
        CoreWatch(settings.reflex_core) as watch,
        AwakeCore(core_to_keep_awake(cores, usable)),
        Child("reflex", reflex.main, (settings.world, runtime, base, settings.seed, board.name)) as body,
        kept_on(cores_left(cores, usable)),
    ):
        log = BoundedLog(Path(folder) / "brain.log", LOG_BYTES, disk)
        spec = BusyBrain(settings.weights, settings.brain_core, settings.runner)
        args = (spec, board.name, share_a_core(cores, usable))
        with SupervisedBrain(lambda: Child("brain", busy_brain.main, args, log), board, runtime.supervision) as mind:
            rights = body.expect(ReflexReady, START_TIMEOUT_S).rights
            mind.wait_ready(START_TIMEOUT_S)
            start_up_s = mind.wait_served(START_TIMEOUT_S)
            board.plan_sender().send(pickle.dumps(PLAN))
            drive = _Drive(fault, body, mind, disk)
            drive.follow()
            drive.settle()
            incidents, available = mind.incidents, mind.available
            stalls = watch.stalls()
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        log.close()
    assert drive.report is not None
    return Trial(fault, rights, start_up_s, drive.injected_s, drive.speed_mps, incidents, available, drive.report,
                 size, log.lost_bytes, stalls)  # fmt: skip


class _Drive:
    def __init__(self, fault: FaultName, body: Child, mind: SupervisedBrain, disk: FillingDisk) -> None:
        self._fault, self._body, self._mind, self._disk = fault, body, mind, disk
        self._began_s = time.monotonic()
        self.injected_s = 0.0
        self.speed_mps = 0.0
        self.report: ReflexReport | None = None

    def follow(self) -> None:
        """To the end of the drive."""
        stopping = False
        while self.report is None:
            now = time.monotonic()
            if not self.injected_s and now - self._began_s >= INJECT_AFTER_S:
                self._inject(now)
            if now - self._began_s > MOST_DRIVE_S and not stopping:
                self._body.send(Stop(f"the drive took longer than {MOST_DRIVE_S:g} s"))
                stopping = True
            if now - self._began_s > 2 * MOST_DRIVE_S:
                raise ProcessFailed("the reflex gave no report after it was stopped")
            self._hear(self._body.receive(TICK_S))
            self._mind.tick()

    def settle(self) -> None:
        """Until the next brain serves, if there is to be one."""
        give_up = time.monotonic() + SETTLE_S
        while time.monotonic() < give_up and not self._settled():
            time.sleep(TICK_S)
            self._mind.tick()

    def _settled(self) -> bool:
        incidents = self._mind.incidents
        return bool(incidents) and (incidents[-1].served_s is not None or self._fault == "gone")

    def _hear(self, message: object) -> None:
        if isinstance(message, ReflexReport):
            self.report = message
        elif isinstance(message, Progress) and not self.injected_s:
            self.speed_mps = message.speed_mps

    def _inject(self, now_s: float) -> None:
        self.injected_s = now_s
        self._disk.full = self._fault == "disk"
        if self._fault in ("leak", "disk"):
            self._mind.send(Misbehave(self._fault))
        elif self._mind.pid is not None:
            os.kill(self._mind.pid, signal.SIGSTOP if self._fault == "stop" else signal.SIGKILL)
