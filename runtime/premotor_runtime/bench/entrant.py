"""An engine with a model loaded, in its own process, and the measures that it is asked for."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from premotor_runtime.bench.case import CONTEXT, PROMPT, Case, Contestant
from premotor_runtime.bench.worker import WORKERS, Worker

_SETTLE_S = 0.05
_OPEN_S = 1800.0
_MEASURE_S = 1200.0
_SEED = 7


@dataclass(frozen=True)
class Launch:
    """How to start an engine: its Python, the file in `workers` (or any path) that drives it, and what to open."""

    contestant: Contestant
    python: Path
    engine_file: Path
    options: Callable[[], dict[str, object]]
    environment: tuple[tuple[str, str], ...] = ()


class Entrant:
    """A started engine. Leaving the context ends its process."""

    def __init__(self, launch: Launch, vocabulary: int) -> None:
        """Start it, load the model and have it answer one prompt with one token. Raises WorkerFailed."""
        self.contestant = launch.contestant
        self._random = np.random.default_rng(_SEED)
        self._vocabulary = vocabulary
        self._prompts: dict[int, list[list[int]]] = {}
        options = launch.options()
        began = time.perf_counter()
        name = launch.contestant.engine
        self._worker = Worker(name, launch.python, WORKERS / launch.engine_file, dict(launch.environment))
        try:
            self._worker.ask("open", _OPEN_S, **options)
            self._worker.ask("first", _MEASURE_S, prompt=self.prompts(1, CONTEXT)[0])
        except BaseException:
            self._worker.__exit__()
            raise
        self.start_s = time.perf_counter() - began

    def __enter__(self) -> Entrant:
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.__exit__()

    def measure(self, case: Case, steps: int) -> float:
        """Tokens a second. Raises WorkerFailed."""
        if case.phase == "prefill":
            found = self.ask("prefill", prompt=self.prompts(1, PROMPT)[0])
        else:
            # the same prompts every round, so that only the first has to read them
            prompts = self._prompts.setdefault(case.batch, self.prompts(case.batch, CONTEXT))
            found = self.ask("decode", prompts=prompts, steps=steps)
        return float(found["tokens"]) / float(found["seconds"])

    def ask(self, do: str, **arguments: object) -> Any:
        """An order of `workers`. Raises WorkerFailed."""
        time.sleep(_SETTLE_S)  # threads that spin for a while after their work have gone to sleep by then
        return self._worker.ask(do, _MEASURE_S, **arguments)

    def prompts(self, count: int, length: int) -> list[list[int]]:
        """New prompts of random tokens; the first ids, which tokenizers reserve, are left out."""
        drawn = self._random.integers(min(8, self._vocabulary - 1), self._vocabulary, (count, length))
        return [[int(token) for token in row] for row in drawn]
