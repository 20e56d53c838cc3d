from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from premotor_foundation.locations import named_config
from premotor_planners.task.answers.prompt import catalogue_block
from premotor_planners.task.decomposer import Decomposer
from premotor_runtime.app import bench_planning, checkpoints
from premotor_runtime.app.bench_jumps import Listening, jump_forward
from premotor_runtime.app.bench_planning import TASKS, measure_planning
from premotor_runtime.app.checkpoints import load_planner
from premotor_runtime.app.language_model import EngineLanguageModel
from premotor_runtime.app.planning import load_catalogue
from premotor_runtime.app.settings import load_settings
from premotor_runtime.executor.clock import MonotonicClock


@pytest.fixture(autouse=True)
def embedded_planner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "find_spec", lambda name: None)


def test_forced_tokens_save_passes_and_change_no_answer() -> None:
    settings = load_settings(named_config("", "laptop"))
    catalogue = load_catalogue(named_config("worlds", "house"), settings)
    planner = load_planner(dataclasses.replace(settings.planner, runner="reference"))
    model = EngineLanguageModel(planner, MonotonicClock(), 256)
    model.warm(catalogue_block(catalogue))
    listening = Listening(model)
    Decomposer(listening).decompose(TASKS[0], catalogue)
    assert listening.asked
    found = jump_forward(planner.loaded, listening.asked)
    assert found["same_output"]
    assert 0 < found["passes_drafting"] <= found["passes"] < found["passes_without"]
    assert found["saved"] == pytest.approx(1 - found["passes"] / found["passes_without"], abs=1e-4)


def test_the_measure_counts_only_plans_of_four_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_planning, "TASKS", (TASKS[0], "go to the sofa"))
    found: dict[str, Any] = json.loads(json.dumps(measure_planning(1, ("reference",))))
    times = found["words_to_plan"]["reference"]
    assert times["plans"] == 1 and times["not_four_steps"] == ["go to the sofa"]
    assert 0 < times["p50_ms"] <= times["max_ms"]
    assert [line["measure"] for line in found["lines"]] == [
        "words to a plan of four steps, p50, reference runner",
        "forward passes saved by forced tokens",
        "  by forced and drafted tokens (draft_tokens: 3)",
    ]
