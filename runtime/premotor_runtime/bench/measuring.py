"""One benchmark run: the sections that were asked for, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from premotor_foundation.errors import PremotorError
from premotor_runtime.bench.bandwidth import read_bandwidth
from premotor_runtime.bench.bars import OPPONENTS
from premotor_runtime.bench.case import OURS, Contestant
from premotor_runtime.bench.contest import Absence, run_contest
from premotor_runtime.bench.entrant import Entrant
from premotor_runtime.bench.errors import NotInstalled, WorkerFailed
from premotor_runtime.bench.launches import SERVING_POSITIONS, our_launch, peer_launch
from premotor_runtime.bench.peers import VLLM
from premotor_runtime.bench.result import BenchResult, VllmBatching
from premotor_runtime.bench.serving import (
    REQUESTS,
    measure_batching,
    measure_prefix,
    measure_time_budget,
    mixed_requests,
    tok_s,
    versus,
)
from premotor_runtime.bench.settings import BenchSettings, steps
from premotor_runtime.doctor.busyness import busy_share
from premotor_runtime.doctor.machine import load, read_machine

Advance = Callable[[str], None]
Planning = Callable[[], dict[str, Any]]
_BATCHING_ROUNDS = 3


def run_bench(settings: BenchSettings, planning: Planning, advance: Advance = lambda _: None) -> BenchResult:
    """Measure what `settings` names. An engine that is missing or fails is reported, and the rest goes on.

    `advance` is told what was done; see `count_measurements` for how often. `planning` measures the planner.
    """
    result = BenchResult(read_machine(), settings.threads, settings.rounds, busy_before=busy_share())
    if "speed" in settings.sections:
        _speed(settings, result, advance)
    if {"batching", "prefix", "budget"} & set(settings.sections):
        _serving(settings, result, advance)
    if "batching" in settings.sections:
        _against_vllm(settings, result, advance)
    if "planning" in settings.sections:
        result.planning = _planned(planning)
        advance("planning")
    result.load_after = load()
    return result


def count_measurements(settings: BenchSettings) -> int:
    """How often `advance` is called at most."""
    chosen = settings.sections
    contest = 2 * settings.rounds * len(settings.cases) + 1
    serving = sum(name in chosen for name in ("batching", "prefix", "budget"))
    once = sum(name in chosen for name in ("batching", "planning"))
    return ("speed" in chosen) * len(settings.contests) * contest + serving * len(settings.models) + once


def _planned(planning: Planning) -> dict[str, Any]:
    try:
        return planning()
    except PremotorError as error:
        return {"error": str(error), "lines": [{"measure": "planning", "result": str(error), "bar": "", "met": None}]}


def _speed(settings: BenchSettings, result: BenchResult, advance: Advance) -> None:
    for model, precision in settings.contests:
        name = f"{model} {precision}"
        peer, theirs = OPPONENTS[precision]
        # as fast as the machine was seen to read: measured beside every contest, for its speed varies
        result.bandwidth = max(result.bandwidth or 0.0, read_bandwidth(settings.threads))
        advance(name)
        launches = [our_launch(settings, model, precision), peer_launch(settings, model, peer, theirs)]
        contest = run_contest(
            model, settings.shape(model).vocab_size, launches, settings.cases, settings.rounds, steps(model),
            lambda name=name: advance(name),  # type: ignore[misc]
        )  # fmt: skip
        result.contests.append((contest, precision))


def _serving(settings: BenchSettings, result: BenchResult, advance: Advance) -> None:
    for model in settings.models:
        precision = next(each for name, each in settings.contests if name == model)
        key, vocabulary = (model, precision), settings.shape(model).vocab_size
        try:
            with Entrant(our_launch(settings, model, precision, SERVING_POSITIONS), vocabulary) as ours:
                if "batching" in settings.sections:
                    result.batching[key] = measure_batching(ours, min(settings.rounds, _BATCHING_ROUNDS))
                    advance(f"{model} continuous batching")
                if "prefix" in settings.sections:
                    result.prefix[key] = measure_prefix(ours, settings.rounds)
                    advance(f"{model} prefix hits")
                if "budget" in settings.sections:
                    result.budget[key] = measure_time_budget(ours)
                    advance(f"{model} time budgets")
        except WorkerFailed as error:
            result.absences.append(Absence(Contestant(OURS, precision), model, True, str(error)))


def _against_vllm(settings: BenchSettings, result: BenchResult, advance: Advance) -> None:
    """In bfloat16, the one precision of vLLM on a CPU; with M where it was asked for."""
    model = "M" if "M" in settings.models else settings.models[0]
    vocabulary = settings.shape(model).vocab_size
    launches = (
        our_launch(settings, model, "bf16", SERVING_POSITIONS),
        peer_launch(settings, model, VLLM, "bf16", REQUESTS),
    )
    try:
        with Entrant(launches[1], vocabulary) as vllm, Entrant(launches[0], vocabulary) as ours:
            mine, theirs = versus(
                lambda: tok_s(ours.ask("batching", requests=mixed_requests(ours), batch=REQUESTS, at_once=REQUESTS)),
                lambda: tok_s(vllm.ask("batching", requests=mixed_requests(vllm))),
                min(settings.rounds, _BATCHING_ROUNDS),
            )
        result.vllm[model, "bf16"] = VllmBatching(tuple(mine), tuple(theirs))
    except WorkerFailed as error:
        found = not isinstance(error, NotInstalled)
        result.absences.append(Absence(launches[1].contestant, model, found, str(error)))
    advance("vLLM")
