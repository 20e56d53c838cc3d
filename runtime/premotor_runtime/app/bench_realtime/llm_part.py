"""The engine under its load, as the set-ups run it: freely, or in the time that the board leaves."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from premotor_runtime.app.bench_realtime.llm_load import CONCURRENT, OUTPUT_TOKENS, LlmLoad
from premotor_runtime.app.bench_realtime.messages import LlmFound
from premotor_runtime.app.bench_realtime.settings import RealtimeSettings
from premotor_runtime.bench.workers.our_model import open_model
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request
from premotor_runtime.executor.clock import MonotonicClock
from premotor_runtime.processes.forecasts import ForecastReader
from premotor_runtime.processes.pacing import SHARED_STEP
from premotor_runtime.processes.sharing import budget_until
from premotor_runtime.runners.native.runner import NativeRunner

_BLOCK = 16


class LlmPart:
    """One engine of one thread and its load."""

    def __init__(self, settings: RealtimeSettings, budget: StepBudget) -> None:
        """Raises CheckpointError and BuildError."""
        self._clock, self._budget = MonotonicClock(), budget
        each = -(-(settings.prompt_tokens + OUTPUT_TOKENS[1]) // _BLOCK) * _BLOCK
        model = open_model(settings.weights, settings.runner, "int4", 1, (CONCURRENT + 1) * each)
        self.runner = model.runner.instruction_set if isinstance(model.runner, NativeRunner) else "reference"
        engine = Engine(model.runner, model.tokenizer, time.monotonic, model.salt)
        engine.calibrate(budget, settings.calibration_s)
        _answer_once(engine, budget)
        self._load = LlmLoad(engine, time.monotonic, settings.prompt_tokens)
        self._windows: list[tuple[float, float]] = []
        self._past_release: list[float] = []

    def run_free(self, wanted: Callable[[], bool]) -> None:
        """Step after step while it is wanted."""
        start = self._clock.now()
        while wanted():
            self._load.step(self._budget)
        self._windows.append((start, self._clock.now()))

    def run_beside(self, forecasts: ForecastReader, until_s: float) -> None:
        """Steps that end before the next release on the lane, in whatever time that leaves."""
        start = self._clock.now()
        template = replace(self._budget, may_pause=True)
        while self._clock.now() < until_s:
            grant = budget_until(forecasts, SHARED_STEP, template, self._clock.now_ns())
            if grant.budget is None:
                self._clock.sleep_until_ns(grant.again_at_ns)
            else:
                self._bounded(grant.budget)
        self._windows.append((start, self._clock.now()))

    def while_waiting(self, until_s: float) -> None:
        """As many whole steps as begin before `until_s`."""
        while self._clock.now() < until_s:
            self._load.step(self._budget)

    def within(self, start_s: float, end_s: float) -> None:
        """Note that the load ran from `start_s` to `end_s`."""
        self._windows.append((start_s, end_s))

    def found(self) -> LlmFound:
        """So far."""
        return LlmFound(tuple(self._load.steps), tuple(self._windows), tuple(self._past_release))

    def _bounded(self, budget: StepBudget) -> None:
        release_s = self._clock.now() + (budget.time_budget_s or 0.0) + SHARED_STEP.margin_ns * 1e-9
        self._load.step(budget)
        if budget.time_budget_s is not None:
            self._past_release.append(self._clock.now() - release_s)


def _answer_once(engine: Engine, budget: StepBudget) -> None:
    """A whole life of a request, so that the first one that is measured does nothing for the first time."""
    engine.add(Request("warm-up", tuple(range(2, 2 + 2 * _BLOCK)), _BLOCK + 1, ignore_eos=True))
    while engine.has_work:
        engine.step(budget)
