"""Steps end in time: an engine on a stepped clock, with a runner whose time is a noisy function of its work."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.complete import complete
from premotor_runtime.engine.request import Request
from premotor_runtime.engine.step_result import StepResult
from premotor_runtime.runners.protocol import Chunk

Law = Callable[[int, float, int], float]
LAWS: dict[str, Law] = {
    "linear": lambda tokens, attended, picks: 4e-3 + 2.5e-4 * tokens + 2e-8 * attended + 4e-4 * picks,
    "roofline": lambda tokens, attended, picks: max(5e-3, 3e-4 * tokens) + 2e-8 * attended + 1e-3 * (picks > 0),
    "stairs": lambda tokens, attended, picks: 2e-3 + 1.5e-3 * math.ceil(tokens / 8) + 2e-8 * attended,
}


def _seconds(law: Law, noise: float, drawn: random.Random) -> Callable[[list[Chunk]], float]:
    def seconds(batch: list[Chunk]) -> float:
        tokens = sum(len(chunk.tokens) for chunk in batch)
        attended = sum(len(chunk.tokens) * (chunk.start + 0.5 * len(chunk.tokens)) for chunk in batch)
        picks = sum(chunk.pick != "nothing" for chunk in batch)
        return law(tokens, attended, picks) * math.exp(drawn.gauss(0, noise))

    return seconds


def _serve(engine: Any, drawn: random.Random, budgets: list[float], steps: int) -> list[tuple[StepResult, float]]:
    results, asked = [], 0
    for _ in range(steps):
        while engine.num_requests_waiting + engine.num_requests_running < 4:
            prompt = tuple(drawn.randrange(256) for _ in range(drawn.choice([3, 20, 60])))
            engine.add(Request(str(asked), prompt, drawn.randint(1, 30), priority=drawn.randint(0, 1)))
            asked += 1
        seconds = drawn.choice(budgets)
        results.append((engine.step(StepBudget(64, 8, time_budget_s=seconds)), seconds))
    return results


@pytest.mark.parametrize("law", LAWS)
def test_overruns_are_rare_and_small(make_memory_engine: Any, law: str) -> None:
    engine, runner = make_memory_engine(256, 8)
    drawn = random.Random(1)
    runner.seconds = _seconds(LAWS[law], 0.05, drawn)
    results = _serve(engine, drawn, [0.010, 0.014, 0.018], 600)
    early, late = results[:100], results[100:]
    assert max(result.duration_s / seconds for result, seconds in early) < 2.1
    ratios = sorted(result.duration_s / seconds for result, seconds in late)
    assert ratios[int(0.99 * len(ratios))] <= 1.1
    assert ratios[int(0.95 * len(ratios))] > 0.7
    assert sum(result.num_batched_tokens > 0 for result, _ in late) > 0.99 * len(late)


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_without_time_nothing_is_run_and_the_result_says_who_waits(make_memory_engine: Any, seconds: float) -> None:
    engine, runner = make_memory_engine()
    engine.add(Request("a", (1, 2, 3), 5))
    engine.add(Request("b", (4, 5, 6), 5))
    for _ in range(50):
        result = engine.step(StepBudget(time_budget_s=seconds))
        assert (result.num_batched_tokens, result.deferred, result.emitted) == (0, ("a", "b"), {})
    assert not runner.batches
    assert engine.metrics.num_deferred == 100
    assert len(complete(engine, Request("c", (7,), 2), StepBudget()).tokens) == 2


def test_what_never_fits_is_left_alone(make_memory_engine: Any) -> None:
    engine, runner = make_memory_engine(64, 8)
    runner.seconds = lambda batch: 0.010 + 0.0001 * len(batch[0].tokens)
    for number in range(30):
        complete(engine, Request(f"before {number}", tuple(range(number, number + 9)), 4), StepBudget())
    before = len(runner.batches)
    engine.add(Request("a", (1, 2, 3), 5))
    results = [engine.step(StepBudget(time_budget_s=0.005)) for _ in range(500)]
    assert len(runner.batches) == before
    assert all(result.deferred == ("a",) for result in results)
    assert engine.step(StepBudget(time_budget_s=0.02)).num_prefill_tokens > 0


def test_a_first_step_is_a_probe_of_one_token_and_later_ones_grow(make_memory_engine: Any) -> None:
    engine, runner = make_memory_engine(64, 8)
    runner.seconds = lambda batch: 0.001 + 0.0001 * sum(len(chunk.tokens) for chunk in batch)
    engine.add(Request("a", tuple(range(250)), 5))
    sizes = [engine.step(StepBudget(time_budget_s=1.0)).num_prefill_tokens for _ in range(6)]
    assert sizes[0] == 1 and sizes == sorted(sizes)
    assert all(later <= 2.5 * max(2, earlier) for earlier, later in itertools.pairwise(sizes))
    assert sum(sizes) > 100


def test_time_goes_to_the_urgent_first(make_memory_engine: Any) -> None:
    engine, runner = make_memory_engine(64, 8)
    runner.seconds = lambda batch: 0.004 + 0.002 * sum(len(chunk.tokens) for chunk in batch)
    for number in range(40):
        engine.add(Request(f"before {number}", (number,), 6))
    for width in itertools.cycle([1, 2]):
        if not engine.has_work:
            break
        engine.step(StepBudget(max_num_seqs=width))
    engine.add(Request("background", (1,), 8))
    engine.step(StepBudget())
    engine.add(Request("urgent", (2,), 8, priority=-1))
    result = engine.step(StepBudget(time_budget_s=0.0075))
    assert (set(result.emitted), result.deferred) == ({"urgent"}, ("background",))


def test_scoring_keeps_to_the_time_and_is_never_starved(make_memory_engine: Any) -> None:
    engine, runner = make_memory_engine(64, 8)
    drawn = random.Random(2)
    runner.seconds = lambda batch: 0.004 * drawn.uniform(0.97, 1.03)
    engine.add(Request("background", (1,), 200))
    for number in range(6):
        engine.add(Request(f"scored {number}", (2, number), 6, full_logprobs=True))
    results = []
    while not any(result.finished for result in results) or len(results) < 60:
        results.append(engine.step(StepBudget(time_budget_s=0.006)))
        assert len(results) < 400
    late = results[20:]
    assert sum(result.duration_s > 1.1 * 0.006 for result in late) <= 0.01 * len(late) + 1
    assert sum(result.num_scored_rows for result in results) == 6 * 264
    scored = [output for result in results for output in result.finished if output.request_id != "background"]
    assert len(scored) == 6
    assert all(token.logprob_full is not None for output in scored for token in output.tokens)


def test_an_engine_recovers_from_a_slow_spell(make_memory_engine: Any) -> None:
    engine, runner = make_memory_engine(64, 8)
    engine.add(Request("a", (1,), 400))
    tokens = []
    for scale, steps in [(1.0, 100), (6.0, 300), (1.0, 600)]:
        runner.seconds = lambda batch, scale=scale: 0.005 * scale
        tokens.append(sum(engine.step(StepBudget(time_budget_s=0.01)).num_batched_tokens for _ in range(steps)))
    assert tokens[0] > 80 and tokens[1] < 25 and tokens[2] > 100


def test_a_calibrated_engine_is_right_from_the_first_step(make_memory_engine: Any) -> None:
    engine, runner = make_memory_engine(256, 8)
    drawn = random.Random(5)
    runner.seconds = _seconds(LAWS["linear"], 0.03, drawn)
    spent = engine.calibrate(StepBudget(64, 8), 10.0)
    assert 0.0 < spent < 5.0 and engine.kv.pool.num_used == 0
    engine.add(Request("a", tuple(range(200)), 5))
    first = engine.step(StepBudget(64, 8, time_budget_s=0.015))
    assert first.num_prefill_tokens > 25 and first.duration_s <= 1.1 * 0.015
    results = _serve(engine, drawn, [0.012, 0.02], 150)
    assert sum(result.duration_s > 1.1 * seconds for result, seconds in results) <= 2
    with pytest.raises(ValueError, match="no work"):
        engine.calibrate(StepBudget())


def test_calibration_keeps_its_time(make_memory_engine: Any) -> None:
    engine, runner = make_memory_engine(256, 8)
    runner.seconds = lambda batch: 0.5
    assert engine.calibrate(StepBudget(), 2.0) <= 3.0
