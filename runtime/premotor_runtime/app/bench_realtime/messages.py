"""What crosses the pipes between the benchmark and its processes. Plain frozen values, all picklable."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_runtime.app.bench_realtime.llm_load import LlmStep
from premotor_runtime.app.bench_realtime.statistics import Grid
from premotor_runtime.app.core_witness import Stall
from premotor_runtime.executor.period_log import Period
from premotor_runtime.executor.rights import Rights


@dataclass(frozen=True)
class Ready:
    """The process has loaded and compiled everything, and waits; `rights` None where it asked for none."""

    rights: Rights | None
    runner: str = ""


@dataclass(frozen=True)
class RunSlice:
    """Begin at `start_s` (monotonic clock) and run for so many releases, or until they have passed.

    Control that is not `counted` is forgotten; the engine's tokens are kept, for all engines are compared over the
    first so many tokens of one sequence.
    """

    start_s: float
    releases: int
    counted: bool = True


@dataclass(frozen=True)
class SliceDone:
    """The slice is over, and the process at rest."""


@dataclass(frozen=True)
class Collect:
    """Say what was found."""


@dataclass(frozen=True)
class ControlFound:
    """The counted releases of each slice, all periods that ran, and the processor's time: `cpu_s` within `wall_s`.

    `stall_s` is the longest time that a loop which waited awake did not run.
    """

    grids: tuple[Grid, ...]
    periods: tuple[Period, ...]
    cpu_s: float
    wall_s: float
    errors: tuple[str, ...]
    commands: int = 0
    sum_v_mps: float = 0.0
    stall_s: float = 0.0


@dataclass(frozen=True)
class LlmFound:
    """All steps in order; the load ran within `windows` (start and end, seconds).

    `past_release_s` is of the steps that were to end before a release: how long after it they did, below 0 in time.
    """

    steps: tuple[LlmStep, ...]
    windows: tuple[tuple[float, float], ...]
    past_release_s: tuple[float, ...] = ()


@dataclass(frozen=True)
class Found:
    """What one process found."""

    control: ControlFound | None = None
    llm: LlmFound | None = None
    stalls: tuple[Stall, ...] = ()
