from __future__ import annotations

import pytest

from premotor_runtime.app.bench_realtime.figures import Collected
from premotor_runtime.app.bench_realtime.llm_load import LlmStep
from premotor_runtime.app.bench_realtime.messages import ControlFound, Found, LlmFound, Ready
from premotor_runtime.app.bench_realtime.slices import Measured
from premotor_runtime.app.bench_realtime.statistics import Grid
from premotor_runtime.executor.period_log import Period
from premotor_runtime.executor.rights import Rights

T = 0.02


def control(
    late_s: float = 0.0005, response_s: float = 0.008, count: int = 100, skip: range = range(0)
) -> ControlFound:
    """Periods of one slice that begins at 10 s; those of `skip` never ran."""
    grid = Grid(10.0, count, T)
    periods = tuple(
        Period(at, at + late_s, at + late_s, at + response_s, at + response_s, False)
        for number, at in enumerate(grid.releases_s.tolist())
        if number not in skip
    )
    return ControlFound((grid,), periods, 0.4 * count * T, count * T, (), count, 12.5, 0.002)


def llm(step_s: float = 0.1, count: int = 20) -> LlmFound:
    steps = tuple(LlmStep(10 + n * step_s, 10 + (n + 1) * step_s, 12, 4) for n in range(count))
    return LlmFound(steps, ((10.0, 10 + count * step_s),), (-0.001, 0.001, -0.002))


@pytest.fixture
def collected() -> Collected:
    """Naive misses 59 in a row of every 60; the others are on time, and the shared lane's engine runs at half speed."""
    reflex, ready = Ready(Rights(True, True, 1, True)), Ready(None, "avx2")
    found: dict[Measured, dict[str, tuple[Ready, Found]]] = {
        "naive": {"whole": (ready, Found(control(skip=range(1, 60)), llm()))},
        "own_lane": {"reflex": (reflex, Found(control())), "brain": (ready, Found(llm=llm()))},
        "shared_lane": {"reflex": (reflex, Found(control())), "brain": (ready, Found(llm=llm(0.18, 11)))},
        "llm_alone": {"brain": (ready, Found(llm=llm()))},
        "idle": {"reflex": (reflex, Found(control(0.0004)))},
    }
    return found
