"""Who holds memory: the queue in, the blocks of those inside, and who leaves when blocks run out."""

from __future__ import annotations

from collections.abc import Mapping

from premotor_runtime.engine.kv_cache import BlockTable, KVCache
from premotor_runtime.engine.request import RequestState
from premotor_runtime.engine.sequence import Sequence


class Residency:
    """`waiting` and `running` are in order of arrival; only running sequences hold blocks."""

    def __init__(self, kv: KVCache) -> None:
        self.kv = kv
        self.waiting: list[Sequence] = []
        self.running: list[Sequence] = []

    def admit(self, max_num_seqs: int) -> None:
        """Let waiting sequences in, first come first served, while their text so far fits beside the others'."""
        while self.waiting and len(self.running) < max_num_seqs:
            sequence = self.waiting[0]
            if sequence.finish_reason is None and not self._open(sequence):
                return
            sequence.move(RequestState.RUNNING)
            self.running.append(self.waiting.pop(0))

    def reserve(self, plan: Mapping[str, int]) -> tuple[list[tuple[Sequence, int]], tuple[str, ...]]:
        """Get blocks for every sequence in the plan, the earliest first; the latest give theirs up when they run out.

        Returns who can be computed (with the planned count), and the ids of the preempted.
        """
        batch: list[tuple[Sequence, int]] = []
        preempted: list[str] = []
        for sequence in list(self.running):
            count = plan.get(sequence.request.request_id, 0)
            while count and sequence.state is RequestState.RUNNING:
                if self.kv.grow(sequence.table, sequence.computed + count):
                    batch.append((sequence, count))
                    break
                preempted.append(self._preempt(self.running[-1]))
        return batch, tuple(preempted)

    def leave(self, sequence: Sequence) -> None:
        """Take a sequence out, wherever it is, and give its blocks back."""
        self.kv.close(sequence.table)
        self.waiting = [other for other in self.waiting if other is not sequence]
        self.running = [other for other in self.running if other is not sequence]

    def _open(self, sequence: Sequence) -> bool:
        table, cached = self.kv.open(sequence.tokens, sequence.reusable)
        missing = -(-(len(sequence.tokens) + 1) // self.kv.block_size) - len(table.blocks)
        if self.running and missing > self.kv.pool.num_available:
            self.kv.close(table)
            return False
        sequence.table, sequence.computed = table, cached
        if sequence.preemptions == 0:
            sequence.cached_tokens = cached
        return True

    def _preempt(self, sequence: Sequence) -> str:
        # back to the head of the queue; what it had is computed again later, or found in the prefix cache
        self.running.remove(sequence)
        self.kv.close(sequence.table)
        sequence.table, sequence.computed = BlockTable(), 0
        sequence.preemptions += 1
        sequence.move(RequestState.WAITING)
        self.waiting.insert(0, sequence)
        return sequence.request.request_id
