"""This project's engine as its users get it: requests in, `Engine.step` until they are answered. Run by `loop.py`."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from premotor_runtime.bench.workers.our_model import described, open_model
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request, RequestOutput
from premotor_runtime.models.registry import LoadedModel
from premotor_runtime.runners.native.choice import RunnerName

_SPARE_TOKENS = 64
_BUSY = 8
_TURN = 60
"""Steps of one way of keeping time budgets before the other has its turn."""
_TOKENS_A_STEP = 8
"""Tokens of each answer that one engine step may decode, as for a client that does not stream."""


class _Spent:
    """What steps of one kind took."""

    def __init__(self) -> None:
        self.overruns: list[float] = []
        self.tokens = 0
        self.seconds = 0.0

    def note(self, seconds: float, budget_s: float, tokens: int, paused: bool) -> None:
        """One step; those that neither ended nor paused a pass say nothing of how well budgets are kept."""
        self.tokens += tokens
        self.seconds += seconds
        if tokens or paused:
            self.overruns.append(seconds / budget_s - 1.0)


def _spun_s(seconds: float) -> float:
    began = now = time.perf_counter()
    while now - began < seconds:
        now = time.perf_counter()
    return now - began


class Ours:
    """One engine; the measures run one after the other and leave it empty."""

    def __init__(self, model: LoadedModel, chunk: int) -> None:
        self._model = model
        self._engine = Engine(model.runner, model.tokenizer, time.perf_counter, model.salt)
        self._chunk = chunk
        self._ids = itertools.count()

    def describe(self) -> dict[str, Any]:
        """Version, what it was compiled for, and bytes of weights and of keys and values."""
        return described(self._model)

    def first(self, prompt: list[int]) -> dict[str, float]:
        """Answer one prompt with one token."""
        return self.prefill(prompt) | {"tokens": 1}

    def decode(self, prompts: list[list[int]], steps: int) -> dict[str, float]:
        """Greedy tokens after prompts of equal length, all sequences together."""
        ids = [self._add(prompt, steps + _SPARE_TOKENS) for prompt in prompts]
        whole = StepBudget(sum(map(len, prompts)), len(prompts))
        while self._engine.step(whole).num_decode_tokens < len(prompts):
            pass
        several = replace(whole, num_scheduler_steps=_TOKENS_A_STEP)
        tokens, began = 0, time.perf_counter()
        for _ in range(-(-steps // _TOKENS_A_STEP)):
            tokens += sum(map(len, self._engine.step(several).emitted.values()))
        seconds = time.perf_counter() - began
        for request_id in ids:
            self._engine.cancel(request_id)
        self._engine.step(whole)
        return {"seconds": seconds, "tokens": tokens}

    def prefill(self, prompt: list[int]) -> dict[str, float]:
        """One prompt, which must be a new one, and the token after it."""
        budget = StepBudget(self._chunk, 1)
        began = time.perf_counter()
        self._add(prompt, 1)
        cached = sum(output.cached_tokens for output in self._drain(budget))
        seconds = time.perf_counter() - began
        if cached:
            raise ValueError(f"{cached} tokens of the prompt had been computed before")
        return {"seconds": seconds, "tokens": len(prompt)}

    def batching(self, requests: list[dict[str, Any]], batch: int, at_once: int) -> dict[str, float]:
        """All requests, `at_once` let in together: the next ones only when all of those have ended.

        `batch` is the most sequences a step may have. With `at_once` the number of requests this is continuous
        batching, with `batch` it is what a server without it does.
        """
        budget = StepBudget(self._chunk, batch, num_scheduler_steps=_TOKENS_A_STEP)
        began = time.perf_counter()
        tokens = 0
        for first in range(0, len(requests), at_once):
            for request in requests[first : first + at_once]:
                self._add(request["prompt"], request["tokens"])
            tokens += sum(output.output_tokens for output in self._drain(budget))
        return {"seconds": time.perf_counter() - began, "tokens": tokens}

    def prefix(self, shared: list[int], own: list[list[int]]) -> dict[str, Any]:
        """Seconds to the first token of prompts that begin with the new text `shared`: the first one's, the others'."""
        budget = StepBudget(self._chunk, 1)
        outputs = []
        for rest in own:
            self._add([*shared, *rest], 1)
            outputs += self._drain(budget)
        cold, *hits = [output.ttft_s for output in outputs]
        return {"cold": cold, "hits": hits, "cached_tokens": [output.cached_tokens for output in outputs]}

    def budget(
        self, requests: list[dict[str, Any]], budgets_s: list[float], learning_steps: int, measured_steps: int
    ) -> dict[str, Any]:
        """Serve `requests` over and over in steps of changing time budgets, and note how long the steps took.

        In turns of some steps they are made to fit, and paused where they do not. After each step the processor only
        waits for as long as its budget was: how late that ends is the machine's part. The first `learning_steps` of
        each way teach the engine; then one entry a step that computed something: the share by which it took longer
        than its budget (negative: shorter).
        """
        waiting, budgets = itertools.cycle(requests), itertools.cycle(budgets_s)
        found = {way: _Spent() for way in ("fitted", "paused", "machine")}
        for number in range(learning_steps + measured_steps):
            way = "fitted" if number // _TURN % 2 == 0 else "paused"
            if number % _TURN == 0:
                self._engine.step(StepBudget(self._chunk, _BUSY))
            self._keep_busy(waiting, number)
            budget_s = next(budgets)
            began = time.perf_counter()
            result = self._engine.step(
                StepBudget(self._chunk, _BUSY, time_budget_s=budget_s, may_pause=way == "paused")
            )
            took = time.perf_counter() - began
            if number >= learning_steps:
                found[way].note(took, budget_s, result.num_batched_tokens, result.paused)
                found["machine"].note(_spun_s(budget_s), budget_s, 0, True)
        self._drain(StepBudget(self._chunk, _BUSY))
        return {way: vars(each) for way, each in found.items()}

    def _keep_busy(self, waiting: Iterator[dict[str, Any]], turn: int) -> None:
        if self._engine.num_requests_waiting + self._engine.num_requests_running < _BUSY:
            request = next(waiting)
            self._add(_turned(request["prompt"], turn), request["tokens"])

    def _add(self, prompt: Sequence[int], max_tokens: int) -> str:
        request_id = f"bench-{next(self._ids)}"
        self._engine.add(Request(request_id, tuple(prompt), max_tokens, ignore_eos=True))
        return request_id

    def _drain(self, budget: StepBudget) -> list[RequestOutput]:
        finished: list[RequestOutput] = []
        while self._engine.has_work:
            finished += self._engine.step(budget).finished
        return finished


def _turned(prompt: list[int], by: int) -> list[int]:
    """A prompt of the same length whose beginning has not been computed before."""
    at = by % len(prompt)
    return prompt[at:] + prompt[:at]


def open_engine(path: str, runner: RunnerName, precision: str, threads: int, tokens: int, chunk: int) -> Ours:
    """Load the model at `path`, with room for `tokens` positions; prompts go in pieces of `chunk` tokens."""
    return Ours(open_model(Path(path), runner, precision, threads, tokens), chunk)
