"""Log probabilities over the whole vocabulary, for all output tokens of a request in one pass.

The output matrix is gone through once, some rows a step, whatever the length of the output: log p(t) = logit(t) -
log sum exp(logits), the sum kept as running maximum and scaled rest (Milakov and Gimelshein 2018).
"""

from __future__ import annotations

import dataclasses
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from premotor_runtime.engine.sequence import Sequence
from premotor_runtime.models.packed import Floats
from premotor_runtime.runners.protocol import ModelRunner

_Doubles = npt.NDArray[np.float64]


@runtime_checkable
class ReducingRunner(Protocol):
    """A runner that reduces logits where it computes them, so that they need not be handed over."""

    def normalizers(self, hidden: Floats, first: int, end: int) -> tuple[_Doubles, _Doubles]:
        """Over ids [first, end), for each of (n, hidden_size): the largest logit, the sum of exp(logit - largest)."""
        ...


class Scoring:
    """The unfinished scores of one sequence."""

    def __init__(self, sequence: Sequence, runner: ModelRunner) -> None:
        self._sequence = sequence
        self._runner = runner
        self._scored = [number for number in range(len(sequence.output)) if number in sequence.hidden]
        hidden_size = runner.config.hidden_size
        self._hidden = np.array([sequence.hidden[n] for n in self._scored], np.float32).reshape(-1, hidden_size)
        self._maximum = np.full(len(self._scored), -np.inf)
        self._rest = np.zeros(len(self._scored))
        self._at = 0 if self._scored else runner.config.vocab_size

    @property
    def done(self) -> bool:
        """Whether every row has been gone through."""
        return self._at >= self._runner.config.vocab_size

    def advance(self, rows: int) -> int:
        """Go through at most `rows` more rows; returns how many. Writes the scores when these were the last."""
        stop = min(self._at + rows, self._runner.config.vocab_size)
        count = stop - self._at
        if count > 0:
            largest, rest = _reduced(self._runner, self._hidden, self._at, stop)
            maximum = np.maximum(self._maximum, largest)
            self._rest = self._rest * np.exp(self._maximum - maximum) + rest * np.exp(largest - maximum)
            self._maximum, self._at = maximum, stop
        if self.done:
            self._write()
        return count

    def _write(self) -> None:
        normalizer = self._maximum + np.log(self._rest)
        for row, number in enumerate(self._scored):
            token = self._sequence.output[number]
            logit = self._runner.logits(self._hidden[row : row + 1], np.array([token.token]))[0, 0]
            score = min(0.0, float(logit - normalizer[row]))
            self._sequence.output[number] = dataclasses.replace(token, logprob_full=score)


def _reduced(runner: ModelRunner, hidden: Floats, first: int, end: int) -> tuple[_Doubles, _Doubles]:
    if isinstance(runner, ReducingRunner):
        return runner.normalizers(hidden, first, end)
    logits = runner.logits(hidden, slice(first, end)).astype(np.float64)
    largest = logits.max(axis=1)
    return largest, np.exp(logits - largest[:, None]).sum(axis=1)
