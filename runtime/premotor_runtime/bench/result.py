"""Everything that one run found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from premotor_runtime.bench.contest import Absence, Contest
from premotor_runtime.bench.serving import Batching, PrefixHit, TimeBudgets
from premotor_runtime.doctor.machine import Machine


@dataclass(frozen=True)
class VllmBatching:
    """Continuous batching beside vLLM: tokens a second, one value a round."""

    ours: tuple[float, ...]
    vllm: tuple[float, ...]


@dataclass
class BenchResult:
    """`serving` sections are by (model, precision); `planning` is JSON as the planners' measure gives it.

    `busy_before` is the share of the processors that other programs used before the run.
    """

    machine: Machine
    threads: int
    rounds: int
    contests: list[tuple[Contest, str]] = field(default_factory=list)
    bandwidth: float | None = None
    batching: dict[tuple[str, str], Batching] = field(default_factory=dict)
    vllm: dict[tuple[str, str], VllmBatching] = field(default_factory=dict)
    prefix: dict[tuple[str, str], PrefixHit] = field(default_factory=dict)
    budget: dict[tuple[str, str], TimeBudgets] = field(default_factory=dict)
    planning: dict[str, Any] | None = None
    absences: list[Absence] = field(default_factory=list)
    load_after: tuple[float, ...] = ()
    busy_before: float | None = None
