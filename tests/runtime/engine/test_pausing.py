"""A forward pass paused between two parts: the same answers, within every time budget, whatever comes in between."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.runtime.engine.conftest import MemoryRunner, SteppedClock

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request
from premotor_runtime.runners.protocol import Chunk, ChunkOutput

PART_S = 1e-3


class PartRunner(MemoryRunner):
    """A pass of n tokens has n parts of a millisecond; what it writes is written at its end."""

    begun: list[Chunk] | None = None
    left = 0

    def begin(self, batch: list[Chunk]) -> None:
        assert self.begun is None
        self.begun, self.left = batch, sum(len(chunk.tokens) for chunk in batch)

    def go_on(self, seconds: float) -> list[ChunkOutput] | None:
        assert self.begun is not None
        parts = self.left if math.isinf(seconds) else max(0, min(self.left, int(seconds / PART_S + 1e-9)))
        self._clock.now += parts * PART_S
        self.left -= parts
        if self.left:
            return None
        batch, self.begun = self.begun, None
        return self.step(batch)

    def abandon(self) -> None:
        self.begun = None

    def step(self, batch: list[Chunk]) -> list[ChunkOutput]:
        assert self.begun is None
        return super().step(batch)


@pytest.fixture
def make(tokenizer: Any, clock: SteppedClock) -> Callable[[int], Engine]:
    return lambda blocks: Engine(PartRunner(blocks, 4, clock), tokenizer, clock)


REQUESTS = [Request(str(n), tuple(range(n, n + 5 + 3 * n)), 3 + 4 * n, ignore_eos=n % 2 == 0) for n in range(4)]


def _answers(engine: Engine, budget: StepBudget) -> dict[str, tuple[int, ...]]:
    for request in REQUESTS:
        engine.add(request)
    done: dict[str, tuple[int, ...]] = {}
    for _ in range(2000):
        if not engine.has_work:
            return done
        done |= {output.request_id: output.token_ids for output in engine.step(budget).finished}
    raise AssertionError("no end")


@pytest.mark.parametrize("milliseconds", [1.5, 2.5, 7.0, 1000.0])
@pytest.mark.parametrize("blocks", [13, 64])
def test_the_same_answers(make: Callable[[int], Engine], milliseconds: float, blocks: int) -> None:
    paused = _answers(make(blocks), StepBudget(time_budget_s=milliseconds * 1e-3, may_pause=True))
    assert paused == _answers(make(blocks), StepBudget())


def test_a_pass_longer_than_every_budget_is_done_in_parts(make: Callable[[int], Engine], clock: SteppedClock) -> None:
    engine, budget = make(64), StepBudget(time_budget_s=2.5e-3, may_pause=True)
    engine.add(Request("a", tuple(range(9)), 3, ignore_eos=True))
    results = [engine.step(budget) for _ in range(5)]
    assert [result.paused for result in results] == [True] * 4 + [False]
    assert [result.num_prefill_tokens for result in results] == [0, 0, 0, 0, 9]
    assert all(result.duration_s <= 2.5e-3 for result in results)
    assert len(results[-1].emitted["a"]) == 1 and not any(result.emitted for result in results[:-1])


def test_no_time_does_nothing_and_no_limit_ends_the_pass(make: Callable[[int], Engine]) -> None:
    engine = make(64)
    engine.add(Request("a", tuple(range(9)), 1))
    assert engine.step(StepBudget(time_budget_s=3e-3, may_pause=True)).paused
    before = engine._clock()
    assert engine.step(StepBudget(time_budget_s=0.0, may_pause=True)).paused and engine._clock() == before
    result = engine.step(StepBudget())
    assert not result.paused and result.num_prefill_tokens == 9 and len(result.finished) == 1


def test_cancelling_gives_the_pass_up_and_the_others_are_computed_again(make: Callable[[int], Engine]) -> None:
    engine, expected = make(64), _answers(make(64), StepBudget())
    for request in REQUESTS:
        engine.add(request)
    budget = StepBudget(time_budget_s=3.5e-3, may_pause=True)
    assert engine.step(budget).paused
    assert engine.cancel("2")
    assert not engine.cancel("2")
    done = {}
    while engine.has_work:
        for output in engine.step(budget).finished:
            done[output.request_id] = output
    assert done.pop("2").finish_reason == "cancelled"
    assert {key: output.token_ids for key, output in done.items()} == {k: v for k, v in expected.items() if k != "2"}


def test_a_request_that_comes_meanwhile_waits_for_the_next_pass(make: Callable[[int], Engine]) -> None:
    engine = make(64)
    engine.add(REQUESTS[3])
    assert engine.step(StepBudget(time_budget_s=3.5e-3, may_pause=True)).paused
    engine.add(REQUESTS[0])
    assert engine.cancel("0")
    result = engine.step(StepBudget(time_budget_s=3.5e-3, may_pause=True))
    assert result.paused and [output.request_id for output in result.finished] == ["0"]
    assert engine.step(StepBudget()).num_prefill_tokens == len(REQUESTS[3].prompt)


EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 3), st.integers(1, 6), st.integers(1, 3)),
        st.tuples(st.just("cancel"), st.integers(0, 8)),
        st.tuples(st.just("step"), st.sampled_from([None, 0.0, 0.5, 1.5, 4.5, 20.0]), st.booleans()),
    ),
    max_size=30,
)
PROMPTS = [(1, *([5, 6, 7, 8] * 3)), (1, *([5, 6, 7, 8] * 2), 9, 9), (2, 1, 2), tuple(range(30, 50))]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EVENTS)
def test_any_order_of_events(make: Callable[[int], Engine], events: list[Any]) -> None:
    engine, asked, ended = make(14), {}, Counter[str]()
    for event in [*events, *[("step", None, False)] * 200]:
        if event[0] == "add":
            asked[str(len(asked))] = event
            engine.add(Request(str(len(asked) - 1), PROMPTS[event[1]], event[2], n=event[3]))
        elif event[0] == "cancel":
            engine.cancel(str(event[1]))
        elif engine.has_work:
            seconds = None if event[1] is None else event[1] * 1e-3
            for output in engine.step(StepBudget(24, 4, time_budget_s=seconds, may_pause=event[2])).finished:
                ended[output.request_id] += 1
        pool = engine.kv.pool
        held = Counter(block for sequence in engine._residency.running for block in sequence.table.blocks)
        assert all(pool.references(block) == held[block] for block in range(pool.num_blocks))
    assert not engine.has_work and engine.kv.pool.num_used == 0
    assert ended == Counter({name: event[3] for name, event in asked.items()})
