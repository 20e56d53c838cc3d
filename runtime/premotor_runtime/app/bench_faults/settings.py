"""What is done to the brain, and under which limits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from premotor_foundation.errors import UsageError
from premotor_runtime.executor.control_plan import ControlTiming
from premotor_runtime.processes.back_off import RestartPolicy
from premotor_runtime.processes.settings import Supervision
from premotor_runtime.processes.watch import WatchLimits
from premotor_runtime.runners.native.choice import RunnerName

FaultName = Literal["kill", "stop", "leak", "disk", "gone"]
FAULTS: dict[FaultName, str] = {
    "kill": "SIGKILL in the middle of decoding",
    "stop": "SIGSTOP: it hangs and says nothing",
    "leak": "every step keeps 4 MiB more",
    "disk": "floods its log on a full disk, then fails to write a file of its own",
    "gone": "SIGKILL, and no restart is allowed; the robot's policy is to stop",
}
TIMING = ControlTiming(rate_hz=50.0, deadline_ms=18.0)
INJECT_AFTER_S = 3.0
"""Seconds of driving before the fault."""
SETTLE_S = 60.0
"""How long a new brain is waited for after the drive."""
MOST_DRIVE_S = 90.0
LOG_BYTES = 64 * 1024
GROWTH_BYTES = 64 << 20


@dataclass(frozen=True)
class FaultSettings:
    """`weights` is the folder of a checkpoint; the cores are None where the machine has only one."""

    weights: Path
    model: str
    reflex_core: int | None
    brain_core: int | None
    runner: RunnerName = "auto"
    world: Path = Path("house")
    seed: int = 1


def supervision(fault: FaultName) -> Supervision:
    """Of the trial of a fault."""
    watch = WatchLimits(silence_s=1.5, start_s=120.0, growth_bytes=GROWTH_BYTES)
    if fault == "gone":
        return Supervision(watch, RestartPolicy(most_restarts=0), "stop")
    return Supervision(watch, RestartPolicy(), "finish")


def chosen_faults(names: tuple[str, ...]) -> tuple[FaultName, ...]:
    """Those named, in order; all for none. Raises UsageError for another name."""
    for name in names:
        if name not in FAULTS:
            raise UsageError(f"there is no fault `{name}`; known: {', '.join(FAULTS)}")
    return tuple(name for name in FAULTS if not names or name in names)
