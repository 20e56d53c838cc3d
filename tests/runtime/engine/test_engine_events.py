"""Random submissions, cancellations and steps: no block leaks or is shared by mistake, and every answer is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.complete import complete
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request

MakeEngine = Callable[..., Engine]
PROMPTS = [(257, *([5, 6, 7, 8] * 3)), (257, *([5, 6, 7, 8] * 2), 9, 9), (257, 1, 2), tuple(range(30, 50))]
GRAMMAR = 'start: ("red " | "mug ")+ "x"'
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 3), st.integers(1, 6), st.sampled_from([None, GRAMMAR])),
        st.tuples(st.just("cancel"), st.integers(0, 8)),
        st.tuples(st.just("step"), st.integers(1, 24), st.integers(1, 4)),
    ),
    max_size=25,
)


@pytest.fixture(scope="module")
def expected() -> dict[Any, tuple[int, ...]]:
    return {}


def _conserved(engine: Engine) -> None:
    pool = engine.kv.pool
    assert pool.num_free + pool.num_cached + pool.num_used == pool.num_blocks
    held = Counter(block for sequence in engine._residency.running for block in sequence.table.blocks)
    assert all(pool.references(block) == held[block] for block in range(pool.num_blocks))
    assert pool.num_used == len(held)
    for sequence in engine._residency.running:
        assert len(set(sequence.table.blocks)) == len(sequence.table.blocks)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EVENTS)
def test_any_order_of_events(make_engine: MakeEngine, expected: dict[Any, tuple[int, ...]], events: list[Any]) -> None:
    engine = make_engine(num_blocks=10)
    asked: dict[str, Any] = {}
    ended: Counter[str] = Counter()
    for event in [*events, *[("step", 24, 4)] * 200]:
        if event[0] == "add":
            name = str(len(asked))
            asked[name] = event[1:]
            engine.add(Request(name, PROMPTS[event[1]], event[2], event[3]))
        elif event[0] == "cancel":
            engine.cancel(str(event[1]))
        elif engine.has_work:
            for output in engine.step(StepBudget(event[1], event[2])).finished:
                ended[output.request_id] += 1
                key = asked[output.request_id]
                if key not in expected:
                    alone = Request("alone", PROMPTS[key[0]], key[1], key[2])
                    expected[key] = complete(make_engine(), alone, StepBudget()).token_ids
                assert output.token_ids == expected[key][: len(output.token_ids)]
                assert output.finish_reason == "cancelled" or output.token_ids == expected[key]
        _conserved(engine)
    assert not engine.has_work and engine.kv.pool.num_used == 0
    assert set(ended) == set(asked) and set(ended.values()) <= {1}
