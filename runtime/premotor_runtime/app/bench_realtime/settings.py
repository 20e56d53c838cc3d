"""What is measured, for how long, and by which of two cores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from premotor_foundation.errors import UsageError
from premotor_runtime.app.bench_realtime.llm_load import PROMPT_TOKENS
from premotor_runtime.app.bench_realtime.slices import SET_UPS, SetUp
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.executor.control_loop import ControlTiming
from premotor_runtime.runners.native.choice import RunnerName

RATE_HZ = 50.0
TIMING = ControlTiming(RATE_HZ, 1e3 / RATE_HZ)
BRAIN_CORE, REFLEX_CORE = 0, 1
CHUNK_TOKENS = 16
"""Tokens of a step where the engine has a process of its own: a layer of so many is short beside a period."""
DEFAULT_BUDGET = StepBudget()
BRAIN_BUDGET = StepBudget(max_num_batched_tokens=CHUNK_TOKENS)


@dataclass(frozen=True)
class RealtimeSettings:
    """`weights` is a checkpoint's folder; `prompt_tokens` of each request; an engine first calibrates so long."""

    seconds: float
    set_ups: tuple[SetUp, ...]
    model: str
    weights: Path
    runner: RunnerName = "native"
    prompt_tokens: int = PROMPT_TOKENS
    calibration_s: float = 2.0


def chosen_set_ups(names: Sequence[str]) -> tuple[SetUp, ...]:
    """Those named, in the usual order; all for none. Raises UsageError for another name."""
    for name in names:
        if name not in SET_UPS:
            raise UsageError(f"there is no set-up `{name}`; known: {', '.join(SET_UPS)}")
    return tuple(name for name in SET_UPS if not names or name in names)


def check_cores(usable: set[int]) -> None:
    """Raises UsageError where the two cores are not there: the set-ups would not be what they are called."""
    if not {BRAIN_CORE, REFLEX_CORE} <= usable:
        raise UsageError(
            f"this benchmark pins its processes to the cores {BRAIN_CORE} and {REFLEX_CORE}, and may use "
            f"{', '.join(map(str, sorted(usable)))} here; run it where both can be used"
        )
