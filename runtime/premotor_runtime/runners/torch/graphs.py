"""Decode steps replayed as CUDA graphs: one launch for a whole step, where launches are what a small model waits for.

A graph repeats what was captured on the same memory, so a batch is filled up to a captured size and copied into fixed
buffers. Prefill, adapters and larger batches go without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from premotor_runtime.runners.protocol import Chunk
from premotor_runtime.runners.torch.device import Device
from premotor_runtime.runners.torch.plan import StepTensors, plan_padded_decode

Results = tuple[torch.Tensor, ...]
Compute = Callable[[StepTensors, bool], Results]
Capture = Callable[[Callable[[], Results]], tuple[Results, Callable[[], object]]]
"""Takes work that has run before; returns where its results will lie, and what does it again."""


@dataclass(frozen=True)
class _Captured:
    numbers: torch.Tensor
    results: Results
    replay: Callable[[], object]


class DecodeGraphs:
    """Captures at first use of a size, which takes about as long as some steps and waits for the device."""

    def __init__(
        self, sizes: Sequence[int], width: int, block_size: int, device: Device, compute: Compute, capture: Capture
    ) -> None:
        """`width`: columns of the block tables. `compute(step, greedy)`: the work of a step."""
        self.sizes = tuple(sizes)
        self._width = width
        self._block_size = block_size
        self._device = device
        self._compute = compute
        self._capture = capture
        self._captured: dict[tuple[int, bool], _Captured] = {}

    def takes(self, batch: Sequence[Chunk]) -> bool:
        """Whether `run` can do this batch."""
        most = self._width * self._block_size
        alike = all(len(chunk.tokens) == 1 and chunk.start < most and chunk.adapter is None for chunk in batch)
        return alike and len(batch) <= max(self.sizes, default=0)

    def run(self, batch: Sequence[Chunk], greedy: bool) -> Results:
        """What `compute` gives, for the batch filled up with unused rows; valid until the next run."""
        size = next(size for size in self.sizes if size >= len(batch))
        captured = self.prepare(size, greedy)
        plan = plan_padded_decode(batch, size, self._width, self._block_size)
        self._device.upload(plan.packing.joined(), captured.numbers)
        captured.replay()
        return captured.results

    def prepare(self, size: int, greedy: bool) -> _Captured:
        """Capture a size, unless it has been."""
        known = self._captured.get((size, greedy))
        if known is None:
            known = self._captured[size, greedy] = self._make(size, greedy)
        return known

    def _make(self, size: int, greedy: bool) -> _Captured:
        plan = plan_padded_decode([], size, self._width, self._block_size)
        numbers = self._device.upload(plan.packing.joined())
        step = StepTensors.of(plan.packing.views(numbers), (), plan.longest_decode)
        self._compute(step, greedy)  # compiles kernels and sets libraries up, which a capture must not do
        results, replay = self._capture(lambda: self._compute(step, greedy))
        return _Captured(numbers, results, replay)


def cuda_capture(device: Device) -> Capture:
    """Capture on the device's stream, whose priority the graph's kernels keep. Graphs share their scratch memory."""
    pool: Any = torch.cuda.graph_pool_handle()

    def capture(work: Callable[[], Results]) -> tuple[Results, Callable[[], object]]:
        device.wait()
        graph = torch.cuda.CUDAGraph()
        # "thread_local": the planner's thread may go on allocating meanwhile
        with torch.cuda.graph(graph, pool=pool, stream=device.stream, capture_error_mode="thread_local"):
            results = work()
        return results, graph.replay

    return capture
