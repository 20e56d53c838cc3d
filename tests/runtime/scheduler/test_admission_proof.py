"""No admitted hard task ever misses: random sets, each simulated over its hyperperiod in every scene."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from premotor_runtime.scheduler import plan, response_time
from premotor_runtime.scheduler.admission import Admitted, Refused, admit
from premotor_runtime.scheduler.contention import Contention, Sensitivity
from premotor_runtime.scheduler.study.plotting import write_plot
from premotor_runtime.scheduler.study.shares import UTILIZATIONS, Study, study
from premotor_runtime.scheduler.study.simulating import simulate
from premotor_runtime.scheduler.task import Task
from premotor_runtime.scheduler.task_set import LaneSpec, TaskSet


def assert_proved(found: Study, sets: int) -> None:
    assert found.failures == ()
    assert sum(row.sets for row in found.rows) == sets
    assert 0.25 * sets < found.simulated < sets
    for row in found.rows:
        assert row.admitted <= row.hard_proved <= row.policy, "what is proved is never seen to miss"


@pytest.fixture(scope="module")
def some() -> Study:
    return study(100, seed=500_000)


def test_of_some_sets_no_admitted_one_misses(some: Study) -> None:
    assert_proved(some, 100)


@pytest.mark.slow
@pytest.mark.skipif("PREMOTOR_LONG_TESTS" not in os.environ, reason="takes minutes; `./premotor test slow` runs it")
def test_of_ten_thousand_sets_no_admitted_one_misses() -> None:
    found = study(10_000, seed=1_000_000)
    assert_proved(found, 10_000)
    proved, bound, fifo = (
        sum(getattr(row, field) for row in found.rows) for field in ("hard_proved", "utilization_bound", "fifo")
    )
    assert proved > bound and proved > fifo


def test_the_simulation_would_notice_an_admission_that_forgets_blocking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_time._Analysis, "_blocking", lambda analysis, due: 0)
    assert study(60, seed=1000).failures


def test_the_simulation_would_notice_an_admission_that_forgets_contention(
    task: Callable[..., Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = (task("a", 8, 20, 10, demand=60_000), task("b", 9, 20, 10, lane="cpu0", demand=60_000))
    contention = Contention(100_000, (Sensitivity("gpu", 1000), Sensitivity("cpu0", 1000)))
    task_set = TaskSet((LaneSpec("gpu"), LaneSpec("cpu0")), tasks, (), None, contention)
    assert isinstance(admit(task_set), Refused)
    monkeypatch.setattr(plan, "inflated", lambda cost_ns, slowdown_milli: cost_ns)
    forgetful = admit(task_set)
    assert isinstance(forgetful, Admitted)
    assert simulate(forgetful.plan, "together", random.Random(0)).hard > 0


def test_the_figures_and_the_picture(some: Study, tmp_path: Path) -> None:
    found = json.loads(json.dumps(some.as_json()))
    assert found["schema"] == "premotor.bench.admission/1"
    assert [row["utilization"] for row in found["rows"]] == list(UTILIZATIONS)
    write_plot(some, tmp_path / "shares.png")
    with Image.open(tmp_path / "shares.png") as image:
        assert image.size == (1120, 640) and len(image.getcolors(1 << 20) or ()) > 5
