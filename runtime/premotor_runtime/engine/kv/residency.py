"""Who holds memory: the queue in, the blocks of those inside, and who leaves when blocks run out.

Everything is ordered by rank: priority, then deadline, then arrival. A rank never changes, so a request that had to
leave comes back to its place, and two requests cannot displace each other in turn.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence as Many

from premotor_runtime.engine.kv.kv_cache import BlockTable, KVCache
from premotor_runtime.engine.request import RequestState
from premotor_runtime.engine.sequence import Rank, Sequence


class Residency:
    """`waiting` and `running` are in order of rank; only running sequences hold blocks."""

    def __init__(self, kv: KVCache) -> None:
        self.kv = kv
        self.waiting: list[Sequence] = []
        self.running: list[Sequence] = []
        self._refused: tuple[Rank, int, int, int] | None = None

    def queue(self, sequence: Sequence) -> None:
        """Let `sequence` wait at its place."""
        insort(self.waiting, sequence, key=_rank)

    def enter(self, sequence: Sequence) -> None:
        """Count `sequence`, which has its blocks already, among the running."""
        sequence.move(RequestState.RUNNING)
        insort(self.running, sequence, key=_rank)

    def admit(self, max_num_seqs: int, now: float) -> list[str]:
        """Let waiting sequences in, first in rank first, while their text so far fits beside the others'.

        At most `max_num_seqs` are inside, beside less urgent ones: those keep their blocks, and only give them up when
        a more urgent one needs them. Returns the keys of sequences preempted so.
        """
        preempted: list[str] = []
        while self.waiting:
            head = self.waiting[0]
            rivals = sum(other.priority <= head.priority for other in self.running)
            if rivals >= max_num_seqs or not self._make_room(head, preempted):
                break
            self.waiting.pop(0)
            head.opened_at = now if head.opened_at is None else head.opened_at
            self.enter(head)
        return preempted

    def adopt(self) -> None:
        """Give sequences that still read their prompt the blocks that others have computed meanwhile."""
        for sequence in self.running:
            if not sequence.decoding and sequence.finish_reason is None:
                found = self.kv.adopt(sequence.table, sequence.tokens, sequence.computed, sequence.reusable)
                if sequence.preemptions == 0:
                    sequence.cached_tokens += found - sequence.computed
                sequence.computed = found

    def reserve(self, shares: Many[tuple[Sequence, int]], preempted: list[str]) -> list[tuple[Sequence, int]]:
        """Get blocks for every share, the first in rank first; the last in rank give theirs up when they run out.

        Returns the shares that can be computed, and adds the keys of those that had to leave to `preempted`.
        """
        batch: list[tuple[Sequence, int]] = []
        for sequence, count in shares:
            while sequence.state is RequestState.RUNNING:
                if self.kv.grow(sequence.table, sequence.computed, sequence.computed + count):
                    batch.append((sequence, count))
                    break
                preempted.append(self._preempt(self.running[-1]))
        return [pair for pair in batch if pair[0].state is RequestState.RUNNING] if preempted else batch

    def leave(self, sequence: Sequence) -> None:
        """Take a sequence out, wherever it is, and give its blocks back."""
        self.kv.close(sequence.table)
        for queue in (self.running, self.waiting):
            if sequence in queue:
                queue.remove(sequence)

    def _make_room(self, head: Sequence, preempted: list[str]) -> bool:
        if head.finish_reason is not None:
            return True
        state = (head.rank, len(self.running), self.kv.pool.num_available, self.kv.index.changes)
        if state == self._refused:
            return False
        table, cached = self.kv.open(head.tokens, head.reusable, head.salt)
        missing = self.kv.blocks_for(len(head.tokens) + 1) - len(table.blocks) + self._promised(head)
        victims = [other for other in self.running if other.priority > head.priority]
        if self.running and missing > self.kv.pool.num_available + sum(map(self._private_blocks, victims)):
            self.kv.close(table)
            self._refused = (head.rank, len(self.running), self.kv.pool.num_available, self.kv.index.changes)
            return False
        while victims and missing > self.kv.pool.num_available:
            preempted.append(self._preempt(victims.pop()))
        head.table, head.computed = table, cached
        if head.preemptions == 0:
            head.cached_tokens = cached
        return True

    def _promised(self, head: Sequence) -> int:
        """Blocks that `head` must leave to those inside: what they need for their text so far.

        One more for each when it has been displaced before, lest it be displaced again at once.
        """
        inside = [other for other in self.running if other.priority <= head.priority]
        needs = (self.kv.blocks_for(len(other.tokens) + 1) - len(other.table.blocks) for other in inside)
        return sum(max(0, need) for need in needs) + (len(inside) if head.preemptions else 0)

    def _private_blocks(self, sequence: Sequence) -> int:
        return sum(self.kv.pool.references(block) == 1 for block in sequence.table.blocks)

    def _preempt(self, sequence: Sequence) -> str:
        # what it had is computed again later, or found in the prefix cache
        self.running.remove(sequence)
        self.kv.close(sequence.table)
        sequence.table, sequence.computed = BlockTable(), 0
        sequence.preemptions += 1
        sequence.move(RequestState.WAITING)
        self.queue(sequence)
        return sequence.key


def _rank(sequence: Sequence) -> Rank:
    return sequence.rank
