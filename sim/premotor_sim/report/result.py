"""`result.json`, schema premotor.result/1."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from premotor_foundation.atomic_write import write_atomically

SCHEMA = "premotor.result/1"


@dataclass(frozen=True)
class PlannedStep:
    """A step as planned."""

    skill: str
    args: dict[str, str | float]


@dataclass(frozen=True)
class StepResult:
    """A step as carried out; status such as `succeeded`, `failed`, `cancelled` or `not_started`."""

    skill: str
    args: dict[str, str | float]
    status: str
    duration_s: float


@dataclass(frozen=True)
class Lateness:
    """Wake-up lateness: milliseconds from a period's release to its first instruction, by nearest rank.

    None where nothing was measured.
    """

    p50: float | None
    p99: float | None
    p999: float | None
    max: float | None


@dataclass(frozen=True)
class Control:
    """The control loop's deadlines."""

    period_ms: float
    ticks: int
    misses: int
    lateness_ms: Lateness


@dataclass(frozen=True)
class Llm:
    """The language model's work; times are None where it produced nothing."""

    requests: int
    prompt_tokens: int
    output_tokens: int
    forced_tokens: int
    ttft_ms: float | None
    decode_tok_s: float | None


@dataclass(frozen=True)
class LaneUse:
    """Share of the mission, 0 to 1, in which a lane was busy."""

    name: str
    utilization: float


@dataclass(frozen=True)
class MissionResult:
    """Everything in `result.json` but its schema; fields in the file's order."""

    task: str
    plan: tuple[PlannedStep, ...]
    plan_origin: str
    success: bool
    mission_time_s: float
    steps: tuple[StepResult, ...]
    collisions: int
    path_length_m: float
    control: Control
    llm: Llm
    lanes: tuple[LaneUse, ...]
    seed: int
    versions: Mapping[str, str]


def lateness(samples_ms: Sequence[float]) -> Lateness:
    """Nearest-rank percentiles: the smallest sample that at least the given share of samples does not exceed."""
    ordered = sorted(samples_ms)
    return Lateness(*(_nearest_rank(ordered, permille) for permille in (500, 990, 999, 1000)))


def result_json(result: MissionResult) -> str:
    """The file's text. Raises ValueError for a number that JSON cannot hold (NaN, infinity)."""
    return json.dumps({"schema": SCHEMA, **asdict(result)}, indent=2, allow_nan=False) + "\n"


def write_result(path: Path, result: MissionResult) -> None:
    """Write `result` whole or not at all; raises as `result_json` and `write_atomically` do."""
    write_atomically(path, result_json(result))


def _nearest_rank(ordered: Sequence[float], permille: int) -> float | None:
    if not ordered:
        return None
    rank = max(1, -(-len(ordered) * permille // 1000))
    return ordered[rank - 1]
