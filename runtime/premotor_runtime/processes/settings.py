"""How the brain is watched over, as a section of a configuration file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from premotor_runtime.processes.back_off import RestartPolicy
from premotor_runtime.processes.watch import WatchLimits

WithoutBrain = Literal["finish", "stop"]


@dataclass(frozen=True)
class Supervision:
    """Limits, restarts, and what a robot does that is under way when the brain is gone for longer than the limit."""

    watch: WatchLimits = field(default_factory=WatchLimits)
    restart: RestartPolicy = field(default_factory=RestartPolicy)
    without_brain: WithoutBrain = "finish"
