"""Many control periods in virtual time: do releases drift, does memory grow, is the same done every hour?"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from premotor_runtime.scheduler.admission import admit_or_raise
from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.recording import Ring
from premotor_runtime.scheduler.task import Route, Segment, Stage, Stream, Task
from premotor_runtime.scheduler.task_set import LaneSpec, TaskSet
from premotor_runtime.scheduler.virtual_engine import EngineCosts, VirtualEngine
from premotor_runtime.scheduler.virtual_time import VirtualExecutor

DAY_PERIODS = 24 * 3600 * 50
PARTS = 24
PERIOD_NS = 20_000_000
_US = 1_000
_KERNELS_US = (("costmap", 400), ("cspace", 900), ("cost_to_go", 1500), ("mppi", 3000), ("gate", 100))
_ENGINE = EngineCosts(step_ns=1500 * _US, prefill_token_ns=60 * _US, decode_row_ns=150 * _US)


@dataclass(frozen=True)
class DayReport:
    """`drift_ns`: the next release against start + n * period; `growth_bytes`: of resident memory since the first part.

    `seconds` as a person waits, `cpu_seconds` of this process. `tokens_per_part` are the engine's, equal but for where
    its requests happen to stand.
    """

    periods: int
    misses: int
    drift_ns: int
    growth_bytes: int
    seconds: float
    cpu_seconds: float
    tokens_per_part: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        """Schema premotor.bench.virtual_time/1."""
        return {"schema": "premotor.bench.virtual_time/1", **asdict(self)}


def shared_lane() -> TaskSet:
    """Control at 50 Hz and eight requests to a language model on one lane, with slack-bounded steps."""
    kernels = tuple(Segment(name, cost * _US) for name, cost in _KERNELS_US)
    control = Task("control", "hard", PERIOD_NS, PERIOD_NS, (Route((Stage("lane0", kernels),)),))
    steps = Stream("llm", ("lane0",), 20_000 * _US, 2_000 * _US, margin_ns=100 * _US)
    return TaskSet((LaneSpec("lane0"),), (control,), (steps,))


def run_day(periods: int = DAY_PERIODS, advance: Callable[[str], None] = lambda name: None) -> DayReport:
    """Run `periods` of `shared_lane` in `PARTS` parts; the records are kept in a ring as on a robot."""
    started, computed = time.monotonic(), time.process_time()
    engine = VirtualEngine(_ENGINE)
    dispatcher = Dispatcher([admit_or_raise(shared_lane())], Ring())
    executor = VirtualExecutor(dispatcher, models=[engine])
    tokens, before, settled = [], 0, 0
    for part in range(1, PARTS + 1):
        executor.run_until(periods * part // PARTS * PERIOD_NS - 1)
        done = engine.prompt_tokens + engine.answer_tokens
        tokens.append(done - before)
        before = done
        settled = settled or resident_bytes()
        advance(f"part {part}")
    counts = dispatcher.misses.counters[0].counts()
    drift = dispatcher.next_arrival_ns[0] - counts.periods * PERIOD_NS
    growth = resident_bytes() - settled
    took = time.monotonic() - started, time.process_time() - computed
    return DayReport(counts.periods, counts.misses, drift, growth, *took, tuple(tokens))


def resident_bytes() -> int:
    """Of this process, now; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    except (OSError, IndexError, ValueError):
        return 0
