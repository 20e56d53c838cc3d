"""Blocks are neither lost nor handed out twice, and content is given up last-used-first-kept."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from premotor_runtime.engine.kv.block_pool import BlockPool

SIZE = 6


class PoolMachine(RuleBasedStateMachine):
    """Random holders against a model of who holds what."""

    def __init__(self) -> None:
        super().__init__()
        self.evicted: list[int] = []
        self.pool = BlockPool(SIZE, self.evicted.append)
        self.held: list[int] = []
        self.cached: list[int] = []
        self.registered: set[int] = set()

    @rule(count=st.integers(0, SIZE + 1))
    def allocate(self, count: int) -> None:
        available = self.pool.num_available
        expected_evictions = self.cached[: max(0, count - self.pool.num_free)]
        got = self.pool.allocate(count)
        assert (got is None) == (count > available)
        if got is None:
            return
        assert len(set(got)) == count and not set(got) & set(self.held)
        assert self.evicted == expected_evictions
        self.registered -= set(self.evicted)
        self.cached = self.cached[len(self.evicted) :]
        self.evicted.clear()
        self.held += got

    @rule(data=st.data())
    def retain(self, data: st.DataObject) -> None:
        candidates = sorted({*self.held, *self.cached})
        if candidates:
            block = data.draw(st.sampled_from(candidates))
            self.pool.retain(block)
            self.held.append(block)
            self.cached = [other for other in self.cached if other != block]

    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        if self.held:
            block = data.draw(st.sampled_from(sorted(self.held)))
            self.pool.release(block)
            self.held.remove(block)
            if block not in self.held and block in self.registered:
                self.cached.append(block)

    @rule(data=st.data())
    def register(self, data: st.DataObject) -> None:
        if self.held:
            block = data.draw(st.sampled_from(sorted(self.held)))
            self.pool.register(block)
            self.registered.add(block)

    @invariant()
    def conserved(self) -> None:
        assert self.pool.num_used == len(set(self.held))
        assert self.pool.num_cached == len(self.cached)
        assert self.pool.num_free + self.pool.num_cached + self.pool.num_used == SIZE
        assert all(self.pool.references(block) == self.held.count(block) for block in range(SIZE))


TestPool = PoolMachine.TestCase
TestPool.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


def test_misuse_is_refused() -> None:
    pool = BlockPool(2, lambda block: None)
    with pytest.raises(ValueError, match="not held"):
        pool.release(0)
    with pytest.raises(ValueError, match="free"):
        pool.retain(1)


def test_a_cached_block_comes_back_and_the_oldest_is_evicted_first() -> None:
    evicted: list[int] = []
    pool = BlockPool(3, evicted.append)
    first, second, third = pool.allocate(3) or []
    for block in (first, second, third):
        pool.register(block)
        pool.release(block)
    pool.retain(first)
    pool.release(first)
    pool.allocate(2)
    assert evicted == [second, third]
    assert pool.num_cached == 1
