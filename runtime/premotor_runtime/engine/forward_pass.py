"""A forward pass over a batch, done at once or in parts between which the engine gives the processor back."""

from __future__ import annotations

import math
from collections.abc import Sequence as Many

from premotor_runtime.engine.cost.step_load import StepLoad
from premotor_runtime.engine.sequence import Sequence
from premotor_runtime.runners.protocol import Chunk, ChunkOutput, ModelRunner, PausableRunner

_SLIP_S = 4e-5
"""What calling the runner and coming back takes besides."""


class ForwardPass:
    """`chunks` belong to the sequences of `batch`, in order. `outputs` is None until all is computed.

    With `in_parts`, which needs a `PausableRunner`, `advance` may end before that; the engine then sets `was_paused`.
    """

    def __init__(
        self,
        runner: ModelRunner,
        batch: list[tuple[Sequence, int]],
        chunks: Many[Chunk],
        load: StepLoad,
        in_parts: bool = False,
    ) -> None:
        self.batch, self.chunks, self.load = batch, chunks, load
        self.in_parts, self.was_paused = in_parts, False
        self.outputs: list[ChunkOutput] | None = None
        self._runner = runner
        self._paused = runner if in_parts and isinstance(runner, PausableRunner) else None
        if self._paused is not None:
            self._paused.begin(chunks)

    def advance(self, left_s: float | None) -> bool:
        """Compute, in parts for at most `left_s` seconds (None: to the end); whether all is done."""
        if self.outputs is None:
            if self._paused is None:
                self.outputs = self._runner.step(self.chunks)
            else:
                self.outputs = self._paused.go_on(math.inf if left_s is None else left_s - _SLIP_S)
        return self.outputs is not None

    def abandon(self) -> None:
        """Give it up: its tokens count as not computed."""
        if self._paused is not None:
            self._paused.abandon()

    def concerns(self, sequence: Sequence) -> bool:
        """Whether `sequence` is in the batch."""
        return any(each is sequence for each, _ in self.batch)
