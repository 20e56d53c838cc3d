"""Several samples of one prompt: its memory is computed once and shared, and copied only where one of them writes."""

from __future__ import annotations

from premotor_runtime.engine.kv.kv_cache import KVCache
from premotor_runtime.engine.sequence import Sequence
from premotor_runtime.runners.protocol import BlockCopier

__all__ = ["BlockCopier", "split_off"]


def split_off(sequence: Sequence, kv: KVCache, runner: object) -> list[Sequence]:
    """The further samples of `sequence`, with all that is known so far; none when there are none left to make.

    They share its blocks; without a `BlockCopier` only the full ones, and compute the positions after those again.
    """
    positions = sequence.computed
    if not isinstance(runner, BlockCopier):
        positions -= positions % kv.block_size
    count, sequence.twins = sequence.twins, 0
    return [sequence.twin(sample, kv.fork(sequence.table, positions), positions) for sample in range(1, count + 1)]
