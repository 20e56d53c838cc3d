"""The torch runner; importing this imports torch. See `torch_runner`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from premotor_runtime.models.adapter import LoraAdapter
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.embedding import Ids
from premotor_runtime.models.packed import Floats
from premotor_runtime.runners.protocol import Chunk, ChunkOutput, RunnerMemory
from premotor_runtime.runners.torch.answers import Answers, Questions
from premotor_runtime.runners.torch.definition import TorchOperations
from premotor_runtime.runners.torch.device import Device, to_numpy
from premotor_runtime.runners.torch.forward import AdaptedRows, Forward
from premotor_runtime.runners.torch.graphs import Capture, DecodeGraphs, cuda_capture
from premotor_runtime.runners.torch.head import Head, likeliest
from premotor_runtime.runners.torch.operations import Operations
from premotor_runtime.runners.torch.packing import Packing
from premotor_runtime.runners.torch.plan import UNUSED, StepTensors, plan_padded_decode, plan_step, table_width
from premotor_runtime.runners.torch.settings import TorchSettings
from premotor_runtime.runners.torch.weights import load_tensors, weight_bytes


class TorchRunner:
    """See `ModelRunner`. Not safe to call from two threads at once.

    Matrix products, keys and values are in `settings.dtype`; the residual stream, norms, rotation, softmax, logits and
    hidden states in float32. A step waits for the device once, at its end.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        num_blocks: int,
        block_size: int = 16,
        adapters: Mapping[str, LoraAdapter] | None = None,
        settings: TorchSettings | None = None,
        capture: Capture | None = None,
    ) -> None:
        """`capture`: how decode steps are captured; None for CUDA graphs where `settings` has them, else not at all.

        Raises TorchRunnerError.
        """
        settings = settings or TorchSettings()
        self.settings = settings
        self.config, self.num_blocks, self.block_size = checkpoint.config, num_blocks, block_size
        self._device = Device(settings)
        kv_bytes = num_blocks * self.block_bytes(checkpoint.config, block_size, self._device.dtype.itemsize)
        self._device.check_room(weight_bytes(checkpoint, self._device.dtype) + kv_bytes, "weights, keys and values")
        self._operations = _operations(settings, self._device)
        with torch.inference_mode(), self._device.entered():
            weights = load_tensors(checkpoint, adapters or {}, self._device)
            self._caches = [self._cache() for _ in range(self.config.num_hidden_layers)]
            self._forward = Forward(self.config, weights, self._caches, self._operations)
            self._device.wait()
        self._adapters = weights.adapters
        self._head = Head(weights.head)
        self._graphs = self._make_graphs(capture)

    @staticmethod
    def block_bytes(config: ModelConfig, block_size: int, value_bytes: int) -> int:
        """Memory of one block: 2 x layers x kv heads x head size x positions x bytes of a value."""
        return 2 * config.num_hidden_layers * config.kv_size * block_size * value_bytes

    @staticmethod
    def memory(checkpoint: Checkpoint, block_size: int, settings: TorchSettings) -> RunnerMemory:
        """What a runner would take, without adapters, and what its device has. Raises DeviceError."""
        device = Device(settings)
        block = TorchRunner.block_bytes(checkpoint.config, block_size, device.dtype.itemsize)
        return RunnerMemory(block, weight_bytes(checkpoint, device.dtype), device.free_bytes())

    @property
    def adapter_names(self) -> tuple[str, ...]:
        """See `ModelRunner.adapter_names`."""
        return tuple(self._adapters)

    def step(self, batch: Sequence[Chunk]) -> list[ChunkOutput]:
        """See `ModelRunner.step`. Raises ValueError and IndexError before anything reaches the device."""
        self._check(batch)
        with torch.inference_mode(), self._device.entered():
            answers = self._decode(batch) if self._graphs and self._graphs.takes(batch) else self._any(batch)
            self._device.wait()
        return answers.take()

    def copy_blocks(self, pairs: Sequence[tuple[int, int]]) -> None:
        """See `BlockCopier.copy_blocks`. Raises IndexError before anything is copied."""
        _check_range("block", [block for pair in pairs for block in pair], self.num_blocks)
        with torch.inference_mode(), self._device.entered():
            for source, target in pairs:
                for cache in self._caches:
                    cache[:, target] = cache[:, source]

    def logits(self, hidden: Floats, ids: Ids | slice | None = None) -> Floats:
        """See `ModelRunner.logits`."""
        with torch.inference_mode(), self._device.entered():
            given = torch.from_numpy(np.ascontiguousarray(hidden, np.float32)).to(self._device.torch)
            chosen = ids if ids is None or isinstance(ids, slice) else torch.from_numpy(np.asarray(ids, np.int64))
            if isinstance(chosen, torch.Tensor):
                chosen = chosen.to(self._device.torch)
            result = self._device.download(self._head.logits(given, chosen))
            self._device.wait()
        logits: Floats = to_numpy(result)
        return logits

    def warm_up(self, report: Callable[[str, float], object] = lambda stage, share: None) -> None:
        """Compile every kernel and capture every graph, so that no later step has to; writes no keys and values.

        `report(stage, share done)` is called on the way.
        """
        with torch.inference_mode(), self._device.entered():
            report("kernels", 0.0)
            self._compile()
            captures = (
                [(size, greedy) for size in self._graphs.sizes for greedy in (False, True)] if self._graphs else []
            )
            for done, (size, greedy) in enumerate(captures, start=1):
                report(f"graph for {size} sequences", done / (len(captures) + 1))
                assert self._graphs is not None
                self._graphs.prepare(size, greedy)
            self._device.wait()
        report("ready", 1.0)

    def _any(self, batch: Sequence[Chunk]) -> Answers:
        plan = plan_step(batch, self.block_size, self._operations.tile_tokens(self._forward.shape))
        starts = [int(start) for start in np.cumsum([0, *(len(chunk.tokens) for chunk in batch)])]
        questions = Questions(batch, starts, self._head.vocab_size)
        questions.pack(plan.packing)
        views = plan.packing.views(self._device.upload(plan.packing.joined()))
        step = StepTensors.of(views, plan.prefills, plan.longest_decode)
        adapted = [
            AdaptedRows(start, start + len(chunk.tokens), self._adapters[chunk.adapter])
            for start, chunk in zip(starts, batch, strict=False)
            if chunk.adapter is not None
        ]
        return Answers(questions, views, self._forward(step, adapted), self._head, self._device)

    def _decode(self, batch: Sequence[Chunk]) -> Answers:
        assert self._graphs is not None
        questions = Questions(batch, range(len(batch)), self._head.vocab_size)
        greedy = questions.all_plain
        hidden, *picks = self._graphs.run(batch, greedy)
        packing = Packing()
        questions.pack(packing)
        views = packing.views(self._device.upload(packing.joined()))
        return Answers(questions, views, hidden, self._head, self._device, picks)

    def _compute(self, step: StepTensors, greedy: bool) -> tuple[torch.Tensor, ...]:
        """The work of a graph: hidden states, and for `greedy` the likeliest tokens with their logprobs."""
        hidden = self._forward(step)
        return (hidden, *likeliest(self._head.logits(hidden))) if greedy else (hidden,)

    def _compile(self) -> None:
        """Run every kind of work once, on nothing."""
        width = table_width(1)
        for longest in (1, 1 << 20):  # with and without splits of the context
            decode = plan_padded_decode([], 1, width, self.block_size)
            views = decode.packing.views(self._device.upload(decode.packing.joined()))
            self._compute(StepTensors.of(views, (), longest), True)
        prefill = plan_step([Chunk([0, 0], 0, [0, 0])], self.block_size, 2)
        prefill.packing.add("slots", [UNUSED, UNUSED])
        views = prefill.packing.views(self._device.upload(prefill.packing.joined()))
        self._forward(StepTensors.of(views, prefill.prefills, 0))

    def _check(self, batch: Sequence[Chunk]) -> None:
        # a bad index would read or write foreign memory on a GPU, or end its context
        if unknown := {chunk.adapter for chunk in batch} - {None, *self._adapters}:
            raise ValueError(f"no adapter is called {sorted(map(str, unknown))}; loaded are {list(self._adapters)}")
        for chunk in batch:
            _check_range("token", chunk.tokens, self.config.vocab_size)
            _check_range("block", chunk.block_table, self.num_blocks)
            _check_range("wanted row", chunk.wanted, len(chunk.tokens))
            if chunk.among is not None:
                _check_range("token", chunk.among, self._head.vocab_size)

    def _cache(self) -> torch.Tensor:
        shape = (2, self.num_blocks, self.block_size, self.config.num_key_value_heads, self.config.head_dim)
        return torch.zeros(shape, dtype=self._device.dtype, device=self._device.torch)

    def _make_graphs(self, capture: Capture | None) -> DecodeGraphs | None:
        if capture is None and not self.settings.uses_graphs:
            return None
        longest = min(self.num_blocks, -(-self.config.max_position_embeddings // self.block_size))
        return DecodeGraphs(
            self.settings.graph_sizes, table_width(longest), self.block_size, self._device, self._compute,
            capture or cuda_capture(self._device),
        )  # fmt: skip


def _operations(settings: TorchSettings, device: Device) -> Operations:
    if not settings.uses_triton:
        return TorchOperations()
    from premotor_runtime.runners.torch.triton_operations import TritonOperations

    return TritonOperations(device.processors)


def _check_range(what: str, values: Any, limit: int) -> None:
    array = np.asarray(values)
    if array.size and not (array.min() >= 0 and array.max() < limit):
        raise IndexError(f"{what}s run from {array.min()} to {array.max()}; allowed are 0 to {limit - 1}")
