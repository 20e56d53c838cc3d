"""How long words take to become a plan, and what forced tokens save: the planner's part of `premotor bench llm`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from premotor_foundation.locations import named_config
from premotor_planners.task.answers.prompt import catalogue_block
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.decomposer import Decomposer
from premotor_runtime.app.bench_jumps import Listening, jump_forward
from premotor_runtime.app.checkpoints import load_planner
from premotor_runtime.app.language_model import EngineLanguageModel
from premotor_runtime.app.planning import load_catalogue
from premotor_runtime.app.settings import load_settings
from premotor_runtime.executor.clock import MonotonicClock
from premotor_runtime.runners.native.choice import RunnerName

P50_BAR_MS = 300.0
PASSES_BAR = 0.40
RUNNERS: tuple[RunnerName, ...] = ("native", "reference")
STEPS = 4
TASKS = (
    "take the apple to the sofa",
    "bring the red mug to the study desk",
    "put the newspaper on the kitchen table",
    "move the water bottle to the nightstand",
    "carry the notebook to the coffee table, please",
    "fetch the dictionary and put it on the bed",
)
"""Each needs a plan of four steps in the world `house`: go, pick, go, place."""


def measure_planning(rounds: int, runners: Sequence[RunnerName] = RUNNERS) -> dict[str, Any]:
    """Words to a valid four-step plan with each runner, the catalogue cached; forward passes with and without jumps.

    `lines` are for a table. Raises CheckpointError, and BuildError for a native runner that cannot be built.
    """
    settings = load_settings(named_config("", "laptop"))
    catalogue = load_catalogue(named_config("worlds", "house"), settings)
    clock, jumps, name = MonotonicClock(), None, ""
    times: dict[RunnerName, dict[str, Any]] = {}
    for runner in runners:
        planner = load_planner(dataclasses.replace(settings.planner, runner=runner))
        model = EngineLanguageModel(planner, clock, settings.planner.prefill_chunk_tokens)
        model.warm(catalogue_block(catalogue))
        listening, name = Listening(model), planner.name
        times[runner] = _words_to_plan(Decomposer(listening), catalogue, rounds, clock)
        jumps = jumps or jump_forward(planner.loaded, listening.asked)
    found = {"model": name, "words_to_plan": times, "jump_forward": jumps}
    return found | {"lines": _lines(times, jumps)}


def _words_to_plan(decomposer: Decomposer, catalogue: Catalogue, rounds: int, clock: MonotonicClock) -> dict[str, Any]:
    seconds: list[float] = []
    other: set[str] = set()
    for number in range(rounds + 1):
        for task in TASKS:
            began = clock.now()
            plan = decomposer.decompose(task, catalogue).plan
            took = clock.now() - began
            if plan is None or len(plan.steps) != STEPS:
                other.add(task)
            elif number:  # the first round compiles grammars
                seconds.append(took)
    p50 = round(median(seconds) * 1e3, 2) if seconds else None
    most = round(max(seconds, default=0.0) * 1e3, 2)
    return {"p50_ms": p50, "max_ms": most, "plans": len(seconds), "not_four_steps": sorted(other)}


def _lines(times: Mapping[RunnerName, dict[str, Any]], jumps: dict[str, Any] | None) -> list[dict[str, Any]]:
    lines = [_time_line(runner, found["p50_ms"]) for runner, found in times.items()]
    return lines if jumps is None else [*lines, *_jump_lines(jumps)]


def _time_line(runner: RunnerName, p50: float | None) -> dict[str, Any]:
    judged = runner == "native"
    return {
        "measure": f"words to a plan of four steps, p50, {runner} runner",
        "result": "no plan" if p50 is None else f"{p50:.0f} ms",
        "bar": f"<= {P50_BAR_MS:g} ms" if judged else "",
        "met": (p50 is not None and p50 <= P50_BAR_MS) if judged else None,
    }


def _jump_lines(jumps: dict[str, Any]) -> list[dict[str, Any]]:
    note = "" if jumps["same_output"] else ", but another output"
    forced = {
        "measure": "forward passes saved by forced tokens",
        "result": f"{jumps['saved']:.0%}{note}",
        "bar": "",
        "met": None,
    }
    drafted = {
        "measure": "  by forced and drafted tokens (draft_tokens: 3)",
        "result": f"{jumps['saved_drafting']:.0%}{note}",
        "bar": f">= {PASSES_BAR:.0%}",
        "met": jumps["saved_drafting"] >= PASSES_BAR and jumps["same_output"],
    }
    return [forced, drafted]
