"""What crosses the pipes between the supervisor, the brain and the reflex. Plain frozen values, all picklable.

A plan to carry out does not: it lies in the mailbox of the board.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from premotor_planners.task.decomposition import Decomposition
from premotor_runtime.app.executive import StepRecord
from premotor_runtime.app.motion_task import Footprint
from premotor_runtime.executor.period_log import Percentiles, Period
from premotor_runtime.executor.records import Record
from premotor_runtime.executor.rights import Rights
from premotor_runtime.executor.robot import Collision, GroundTruth
from premotor_runtime.scheduler.clustering import Clusters


@dataclass(frozen=True)
class Failed:
    """A process could not go on; the supervisor ends with `exit_code` and this sentence."""

    message: str
    exit_code: int


@dataclass(frozen=True)
class BrainReady:
    """The model is loaded; `notice` says so when it is not the one that was configured."""

    model: str
    load_s: float
    notice: str = ""
    runner: str = "reference"


@dataclass(frozen=True)
class PlanTask:
    """Supervisor to brain: plan this."""

    task: str


@dataclass(frozen=True)
class Planned:
    """Brain to supervisor: the plan, question or refusal, and the engine's records."""

    decomposition: Decomposition
    records: tuple[Record, ...]


@dataclass(frozen=True)
class ReflexReady:
    """The control loop is running and holding still."""

    rights: Rights


@dataclass(frozen=True)
class Stop:
    """Supervisor to reflex: brake to a stop, report, end."""

    reason: str


@dataclass(frozen=True)
class Progress:
    """Reflex to supervisor, a few times a second: which step runs, and where the robot is."""

    step: int
    speed_mps: float
    remaining_m: float | None
    misses: int


@dataclass(frozen=True)
class ReflexReport:
    """Everything the reflex knows when its mission is over. Metres, frame map; `planned` is by index of the step.

    `truth` is what a simulated plant knew at the start of the loop and at its end; None on a real robot. `recording` is
    the loop's compact schedule record (`executor.control_loop.schedule_json` makes Perfetto's of it). `adaptations` are
    sentences about plans that were changed for the state of the machine. `misses` are counted by the decision; `missed`
    are the periods that ran and whose decision, or whose command, came after the deadline. `page_faults` counts pages
    of memory that came to the process while the loop ran.
    """

    steps: tuple[StepRecord, ...]
    succeeded: bool
    mission_time_s: float
    collisions: tuple[Collision, ...]
    driven: tuple[Footprint, ...]
    planned: dict[int, tuple[tuple[float, float], ...]]
    path_length_m: float
    ticks: int
    misses: int
    longest_run: int
    lateness_ms: Percentiles
    response_ms: Percentiles
    busy_share: float
    truth: tuple[GroundTruth, GroundTruth] | None
    records: tuple[Record, ...]
    errors: tuple[str, ...] = field(default=())
    clusters: Clusters | None = None
    recording: bytes = b""
    adaptations: tuple[str, ...] = ()
    missed: tuple[Period, ...] = ()
    page_faults: int = 0


@dataclass(frozen=True)
class Shutdown:
    """Supervisor to either: end now."""
