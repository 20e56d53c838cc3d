"""Short ways to write tasks; times in milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from premotor_runtime.scheduler.task import Route, Segment, Stage, Task

MS = 1_000_000


@pytest.fixture
def task() -> Callable[..., Task]:
    def make(name: str, costs: float | Sequence[float], period: float, deadline: float | None = None, lane: str = "gpu",
             criticality: Any = "hard", demand: int = 0, **rest: Any) -> Task:  # fmt: skip
        parts = [costs] if isinstance(costs, int | float) else costs
        segments = tuple(Segment(f"{name}{n}", int(cost * MS), demand) for n, cost in enumerate(parts))
        due = period if deadline is None else deadline
        routes = rest.pop("routes", (Route((Stage(lane, segments),)),))
        return Task(name, criticality, int(period * MS), int(due * MS), routes, **rest)

    return make
