"""A brain that decodes without pause, and does on order what a brain must not do."""

from __future__ import annotations

import itertools
import os
import resource
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal

import numpy as np

from premotor_runtime.app.brain import pacer_on
from premotor_runtime.app.messages import BrainReady, Shutdown
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.kv.memory import PoolSize
from premotor_runtime.engine.request import Request
from premotor_runtime.models.registry import load_model
from premotor_runtime.processes.board import Board
from premotor_runtime.processes.heartbeats import Phase
from premotor_runtime.processes.memory_use import be_first_to_go
from premotor_runtime.runners.native.choice import RunnerChoice, RunnerName

REQUESTS, PROMPT_TOKENS, OUTPUT_TOKENS = 4, 64, 200
LOG_EVERY = 100
LEAK_BYTES = 4 << 20
LINE = "x" * 1023 + "\n"
FILE_BYTES = 2 << 20
BUDGET = StepBudget(may_pause=True)
POOL = PoolSize(None, 4096, 512, 1 << 28)


@dataclass(frozen=True)
class Misbehave:
    """An order to the brain."""

    how: Literal["leak", "disk"]


@dataclass(frozen=True)
class BusyBrain:
    """What it runs, and on which core."""

    weights: Path
    core: int | None
    runner: RunnerName


def main(pipe: Connection, spec: BusyBrain, board_name: str, shares_core: bool) -> None:
    """Entry of the process. It serves when its first step has returned."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    be_first_to_go()
    started = time.monotonic()
    if spec.core is not None and spec.core in os.sched_getaffinity(0):
        os.sched_setaffinity(0, {spec.core})
    with Board(board_name) as board:
        pacer = pacer_on(board, shares_core)
        pacer.beat(Phase.STARTING)
        load = _Load(spec)
        load.step(StepBudget())
        pipe.send(BrainReady("random", time.monotonic() - started))
        harm: Iterator[None] | None = None
        for number in itertools.count():
            if number % LOG_EVERY == 0:
                print(f"step {number}", flush=True)  # noqa: T201 - what a brain logs
            if pipe.poll(0):
                order = pipe.recv()
                if isinstance(order, Shutdown):
                    return
                harm = _leak() if order == Misbehave("leak") else _fill_disk()
            load.step(pacer.begin(BUDGET))
            pacer.end()
            if harm is not None:
                next(harm)


class _Load:
    def __init__(self, spec: BusyBrain) -> None:
        make = RunnerChoice(spec.runner, "int8", 1)
        loaded = load_model(spec.weights, None, POOL, 16, make_runner=make)
        self._engine = Engine(loaded.runner, loaded.tokenizer, time.monotonic, loaded.salt)
        self._vocabulary = loaded.runner.config.vocab_size
        self._numbers = itertools.count()
        self._add(REQUESTS)

    def step(self, budget: StepBudget) -> None:
        self._add(len(self._engine.step(budget).finished))

    def _add(self, count: int) -> None:
        for number in itertools.islice(self._numbers, count):
            drawn = np.random.default_rng(number).integers(3, self._vocabulary, PROMPT_TOKENS)
            prompt = tuple(int(token) for token in drawn)
            self._engine.add(Request(f"busy-{number}", prompt, OUTPUT_TOKENS, ignore_eos=True))


def _leak() -> Iterator[None]:
    kept = []
    while True:
        kept.append(np.ones(LEAK_BYTES // 8))
        yield


def _fill_disk() -> Iterator[None]:
    """Print without end; the file that it writes beside meets a limit, and that ends the process by an OSError."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    with tempfile.TemporaryFile() as file:
        while True:
            print(LINE * 32, end="", flush=True)  # noqa: T201 - the flood itself
            file.write(LINE.encode() * 32)
            file.flush()
            yield
