"""Teaching the cost model before the first step that must end in time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.cost.step_cost import StepCost
from premotor_runtime.engine.cost.step_load import NOTHING, AttentionShape
from premotor_runtime.engine.kv.block_pool import BlockPool
from premotor_runtime.runners.protocol import Chunk, ModelRunner

_CONTEXT = 512
_REPEATS = 3


class _Part:
    """One sequence of a probe: `pending` tokens after `computed` ones."""

    masked = False

    def __init__(self, computed: int, pending: int) -> None:
        self.computed, self.pending = computed, pending


class Calibration:
    """Probes of growing size, up to what `budget` allows, in blocks of `pool` that are free or cached."""

    def __init__(
        self, runner: ModelRunner, pool: BlockPool, cost: StepCost, clock: Callable[[], float], budget: StepBudget
    ) -> None:
        self._runner, self._pool, self._cost, self._clock, self._budget = runner, pool, cost, clock, budget
        self._shape = AttentionShape.of(runner.config)
        self._size = runner.block_size
        self._base: list[int] = []

    def run(self, seconds: float) -> float:
        """Probe for about `seconds`, or until all was tried; returns how long it took. The blocks are given back."""
        started = self._clock()
        for number, parts in enumerate(self._probes()):
            if self._clock() - started > seconds:
                break
            self._probe(parts, learn=number > 0)
        self._release(self._base)
        return self._clock() - started

    def _probes(self) -> Iterator[list[_Part]]:
        """A text read in ever wider chunks; then rows that decode after parts of it, wide chunks, and both."""
        most = min(self._budget.max_num_batched_tokens, self._runner.config.max_position_embeddings // 2)
        widths = [1 << power for power in range(12) if 1 << power <= most]
        room = min(self._runner.config.max_position_embeddings // 2, self._pool.num_available * self._size // 2)
        for width in [*widths, *[widths[-1]] * (_CONTEXT // widths[-1])]:
            if len(self._base) * self._size + width <= room and self._size <= width:
                yield [_Part(len(self._base) * self._size, width - width % self._size)]
            elif width < self._size:
                yield [_Part(0, width)]
        whole = len(self._base) * self._size
        contexts = sorted({0, self._size * (whole // self._size // 2), whole})
        rows = [1 << power for power in range(7) if 1 << power <= self._budget.max_num_seqs]
        for _ in range(_REPEATS):
            yield from ([_Part(context, 1)] * count for count in rows for context in contexts)
            yield from ([_Part(context, width)] for width in widths[1:] for context in contexts[:2])
            yield from ([*[_Part(whole, 1)] * min(3, rows[-1] - 1), _Part(0, width)] for width in widths[2:])

    def _probe(self, parts: Sequence[_Part], learn: bool) -> None:
        lengths = [-(-part.pending // self._size) for part in parts]
        own = self._pool.allocate(sum(lengths))
        if own is None:
            return
        chunks, at = [], 0
        for part, length in zip(parts, lengths, strict=True):
            table = [*self._base[: part.computed // self._size], *own[at : at + length]]
            chunks.append(Chunk([0] * part.pending, part.computed, table, (), "greedy"))
            at += length
        started = self._clock()
        self._runner.step(chunks)
        if learn:
            load = NOTHING.plus_all([(part, part.pending) for part in parts], self._shape)
            self._cost.learn(load, self._clock() - started)
        self._keep_or_release(parts, own)

    def _keep_or_release(self, parts: Sequence[_Part], own: list[int]) -> None:
        """What continues the text read so far, in whole blocks, becomes part of it until the decoding begins."""
        first = parts[0]
        continues = len(parts) == 1 and first.computed == len(self._base) * self._size
        if continues and first.pending % self._size == 0 and len(self._base) * self._size < _CONTEXT:
            self._base += own
        else:
            self._release(own)

    def _release(self, blocks: list[int]) -> None:
        for block in blocks:
            self._pool.release(block)
