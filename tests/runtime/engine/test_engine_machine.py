"""Ten thousand random events: no block leaks, none is shared by mistake, and every answer is right."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from premotor_runtime.engine.answers.sampling import SamplingParams
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.complete import complete
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request, RequestOutput

BLOCKS, SIZE = 14, 4
TEXT = [int(token) for token in np.random.default_rng(3).integers(0, 256, 40)]
PROMPTS = [tuple(TEXT[:13]), tuple(TEXT[:16]), (*TEXT[:9], 7, 7), tuple(TEXT[20:23]), tuple(TEXT[10:34])]
GRAMMAR = 'start: ("red " | "mug ")+ "x"'


class EngineMachine(RuleBasedStateMachine):
    """Submissions of every kind, cancellations and steps of every size."""

    make: Any
    expected: dict[Any, tuple[int, ...]]
    events = 0

    @initialize(copies=st.booleans())
    def start(self, copies: bool) -> None:
        self.engine, self.runner = type(self).make(BLOCKS, SIZE, copies)
        self.runner.seconds = lambda batch: 0.001 + 0.0001 * sum(len(chunk.tokens) for chunk in batch)
        self.asked: dict[str, Request] = {}
        self.emitted: dict[str, tuple[int, ...]] = {}
        self.ended: Counter[str] = Counter()
        self.cancelled: set[str] = set()

    @rule(
        prompt=st.sampled_from(PROMPTS),
        max_tokens=st.integers(1, 20),
        n=st.sampled_from([1, 1, 1, 2, 3]),
        priority=st.integers(-1, 1),
        deadline=st.none() | st.floats(0, 1),
        salt=st.sampled_from(["", "", "tenant"]),
        adapter=st.sampled_from([None, None, "one"]),
        temperature=st.sampled_from([0.0, 1.0]),
        grammar=st.sampled_from([None, None, None, GRAMMAR]),
        draft_tokens=st.sampled_from([0, 4]),
    )
    def submit(self, temperature: float, **fields: Any) -> None:
        type(self).events += 1
        name = str(len(self.asked))
        request = Request(name, sampling=SamplingParams(temperature, seed=5), **fields)
        self.engine.add(request)
        self.asked[name] = request

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        type(self).events += 1
        if self.asked:
            name = data.draw(st.sampled_from(sorted(self.asked)))
            alive = name not in self.cancelled and self.ended[name] < self.asked[name].n
            assert self.engine.cancel(name) == alive
            self.cancelled.add(name)

    @rule(
        tokens=st.integers(1, 40),
        seqs=st.integers(1, 5),
        seconds=st.sampled_from([None, None, 0.0, 0.0012, 0.002, 0.01]),
        several=st.sampled_from([1, 1, 3, 8]),
    )
    def step(self, tokens: int, seqs: int, seconds: float | None, several: int) -> None:
        type(self).events += 1
        self._step(StepBudget(tokens, seqs, time_budget_s=seconds, num_scheduler_steps=several))

    def _step(self, budget: StepBudget) -> None:
        before = len(self.runner.batches)
        result = self.engine.step(budget)
        assert result.num_batched_tokens <= budget.max_num_batched_tokens
        for batch in self.runner.batches[before:]:
            assert budget.time_budget_s is None or budget.time_budget_s > 0
            assert len(batch) <= budget.max_num_seqs
        for key, tokens in result.emitted.items():
            self.emitted[key] = self.emitted.get(key, ()) + tokens
        for output in result.finished:
            self._check(output)

    def _check(self, output: RequestOutput) -> None:
        request = self.asked[output.request_id]
        self.ended[output.request_id] += 1
        key = output.request_id if request.n == 1 else f"{output.request_id}/{output.sample}"
        right = self._alone(request, output.sample)
        assert output.finish_reason != "error", output.error
        assert output.token_ids == right[: len(output.token_ids)]
        if output.finish_reason != "cancelled":
            assert output.token_ids == right
            assert self.emitted.get(key, ()) == right

    def _alone(self, request: Request, sample: int) -> tuple[int, ...]:
        seed = request.sampling.seed + (sample if request.sampling.temperature else 0)
        key = (request.prompt, request.max_tokens, request.grammar, request.adapter, request.sampling.temperature, seed)
        if key not in self.expected:
            sampling = dataclasses.replace(request.sampling, seed=seed)
            single = dataclasses.replace(request, n=1, sampling=sampling, priority=0, deadline=None)
            engine, _ = type(self).make(64, SIZE)
            self.expected[key] = complete(engine, single, StepBudget()).token_ids
        return self.expected[key]

    @invariant()
    def conserved(self) -> None:
        if hasattr(self, "engine"):
            check_memory(self.engine)

    def teardown(self) -> None:
        if not hasattr(self, "engine"):
            return
        for _ in range(4000):
            if not self.engine.has_work:
                break
            self._step(StepBudget(64, 8))
            check_memory(self.engine)
        assert not self.engine.has_work and self.engine.kv.pool.num_used == 0
        assert {name: request.n for name, request in self.asked.items()} == dict(self.ended)


def check_memory(engine: Engine) -> None:
    pool, residency = engine.kv.pool, engine._residency
    assert pool.num_free + pool.num_cached + pool.num_used == pool.num_blocks
    held = Counter(block for sequence in residency.running for block in sequence.table.blocks)
    assert all(pool.references(block) == held[block] for block in range(pool.num_blocks))
    assert pool.num_used == len(held)
    assert not engine.kv.copies
    assert not any(sequence.table.blocks or sequence.computed for sequence in residency.waiting)
    owner: dict[int, tuple[int, str, tuple[int, ...]]] = {}
    for sequence in residency.running:
        blocks = sequence.table.blocks
        assert len(set(blocks)) == len(blocks) >= engine.kv.blocks_for(sequence.computed)
        for number, block in enumerate(blocks):
            start, stop = number * engine.kv.block_size, (number + 1) * engine.kv.block_size
            content = (number, sequence.request.salt, tuple(sequence.tokens[start : min(stop, sequence.computed)]))
            other = owner.setdefault(block, content)
            assert other[:2] == content[:2]
            common = min(len(other[2]), len(content[2]))
            assert other[2][:common] == content[2][:common]


@pytest.mark.parametrize(
    ("examples", "steps", "events"), [(12, 60, 500), pytest.param(120, 100, 10_000, marks=pytest.mark.slow)]
)
def test_any_order_of_events(make_memory_engine: Any, examples: int, steps: int, events: int) -> None:
    class Machine(EngineMachine):
        make = staticmethod(make_memory_engine)
        expected: dict[Any, tuple[int, ...]] = {}  # noqa: RUF012

    chosen = settings(max_examples=examples, stateful_step_count=steps, deadline=None)
    run_state_machine_as_test(Machine, settings=chosen)  # type: ignore[no-untyped-call]
    assert Machine.events >= events
