"""Several tokens of every answer in one step, where nothing has to be decided between them ("multi-step scheduling").

What a step costs besides the model, the engine's own work, is then paid once for all of them; with a small model that
is a fifth of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Many

import numpy as np

from premotor_runtime.engine.answers.decoding import Decoder
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.kv.kv_cache import KVCache
from premotor_runtime.engine.sequence import Sequence
from premotor_runtime.runners.protocol import Chunk, ChunkOutput, DecodingRunner

Share = tuple[Sequence, int]


class Ahead:
    """A decoding sequence as the cost model would see it `steps` tokens later."""

    pending = 1
    masked = False

    def __init__(self, sequence: Sequence, steps: int) -> None:
        self.computed = sequence.computed + steps - 1


def steps_ahead(
    shares: Many[Share], budget: StepBudget, kv: KVCache, decoder: Decoder, fits: Callable[[int], bool]
) -> int:
    """How many tokens each answer of `shares` may get at once, within `budget`; 1 where each must be looked at.

    Never more than the shortest answer may still have, than there are free blocks for, or than `fits` allows.
    """
    most = min(budget.num_scheduler_steps, budget.max_num_batched_tokens // max(1, len(shares)))
    if most <= 1 or not all(
        count == 1 and sequence.pending == 1 and decoder.is_plain(sequence) for sequence, count in shares
    ):
        return 1
    left = min((s.request.max_tokens - len(s.output) for s, _ in shares), default=1)
    steps = min(most, left)
    while steps > 1 and not (_blocks(shares, steps, kv) <= kv.pool.num_available and fits(steps)):
        steps //= 2
    return max(1, steps)


def decode_ahead(runner: DecodingRunner, decoder: Decoder, kv: KVCache, shares: Many[Share], steps: int) -> int:
    """Decode `steps` tokens for every sequence and take those up to its end; returns how many were taken."""
    chunks = [
        Chunk(s.tokens[s.computed :], s.computed, s.table.blocks, pick="greedy", adapter=s.request.adapter)
        for s, _ in shares
    ]
    found = zip(shares, *runner.decode(chunks, steps), strict=True)
    return sum(_take(sequence, tokens, logprobs, decoder, kv) for (sequence, _), tokens, logprobs in found)


def _take(sequence: Sequence, tokens: list[int], logprobs: list[float], decoder: Decoder, kv: KVCache) -> int:
    start = sequence.computed
    for token, logprob in zip(tokens, logprobs, strict=True):
        sequence.computed += 1
        sequence.forward_passes += 1
        decoder.extend(sequence, None, ChunkOutput(_NOTHING, token, logprob))
        if sequence.finish_reason is not None:
            break
    kv.commit(sequence.table, sequence.tokens, sequence.computed)
    return sequence.computed - start


def _blocks(shares: Many[Share], steps: int, kv: KVCache) -> int:
    return sum(max(0, kv.blocks_for(s.computed + steps) - len(s.table.blocks)) for s, _ in shares)


_NOTHING = np.empty((0, 0), np.float32)
