"""A language model that never pauses: so many requests at once, and a new one whenever one ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request
from premotor_runtime.engine.step_result import StepResult

CONCURRENT = 8
PROMPT_TOKENS = 400
OUTPUT_TOKENS = (64, 128)
"""The fewest and the most tokens of an answer."""
_SEED = 7


@dataclass(frozen=True)
class LlmStep:
    """One call of `Engine.step`: seconds of the monotonic clock, and tokens that had gone through the model by its end.

    A step that was paused has none yet; they count where its last part ends.
    """

    start_s: float
    end_s: float
    prompt_tokens: int
    output_tokens: int


def request(number: int, vocabulary: int, prompt_tokens: int = PROMPT_TOKENS) -> Request:
    """The load's `number`-th request: the same in every set-up, and like no other, so that no prefix is known."""
    drawn = np.random.default_rng((_SEED, number))
    prompt = tuple(int(token) for token in drawn.integers(2, vocabulary, prompt_tokens))
    length = int(drawn.integers(OUTPUT_TOKENS[0], OUTPUT_TOKENS[1] + 1))
    return Request(f"load-{number}", prompt, length, ignore_eos=True)


class LlmLoad:
    """Keeps an engine busy. `steps` are all that did something, in order."""

    def __init__(self, engine: Engine, clock: Callable[[], float], prompt_tokens: int = PROMPT_TOKENS) -> None:
        self._engine, self._clock, self._prompt_tokens = engine, clock, prompt_tokens
        self._alive = self._number = 0
        self.steps: list[LlmStep] = []
        self._refill()

    def step(self, budget: StepBudget) -> StepResult:
        """One step within `budget`; what ended is replaced after it."""
        start = self._clock()
        result = self._engine.step(budget)
        self._alive -= len(result.finished)
        self._refill()
        if result.num_batched_tokens or result.paused:
            self.steps.append(LlmStep(start, self._clock(), result.num_prefill_tokens, result.num_decode_tokens))
        return result

    def _refill(self) -> None:
        while self._alive < CONCURRENT:
            self._engine.add(request(self._number, self._engine.limits.vocab_size, self._prompt_tokens))
            self._alive, self._number = self._alive + 1, self._number + 1
