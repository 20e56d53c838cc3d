"""The model of step time learns what is true, says when it does not know, and is not fooled by single hiccups."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_runtime.engine.cost.cost_model import LinearCost, Ratios
from premotor_runtime.engine.cost.step_cost import StepCost
from premotor_runtime.engine.cost.step_load import NOTHING, UNITS, StepLoad

DECODE = StepLoad(1.0, 0.0, 1.0, 0.0, 100.0, 1.0, 0.0)


def _feed(model: LinearCost, steps: int, noise: float, scale: float = 1.0, seed: int = 0) -> None:
    drawn = random.Random(seed)
    for _ in range(steps):
        load = _load(drawn)
        model.learn(load, _truth(load) * scale * math.exp(drawn.gauss(0, noise)))


def _load(drawn: random.Random) -> StepLoad:
    wide, single = drawn.choice([0, 8, 64, 256]), drawn.randint(0, 8)
    picks = single if single else 1
    return StepLoad(1.0, wide, single, wide * drawn.uniform(1, 500), single * drawn.uniform(1, 500), picks, 0.0)


def _truth(load: StepLoad) -> float:
    return 3e-3 + 2e-4 * load.wide_tokens + 4e-4 * load.single_tokens + 1e-8 * load.attended_wide + 3e-4 * load.picks


@given(st.integers(0, 50))
@settings(max_examples=8, deadline=None)
def test_a_linear_truth_is_found(seed: int) -> None:
    model = LinearCost(UNITS)
    _feed(model, 600, 0.02, seed=seed)
    drawn = random.Random(seed + 1)
    for load in [_load(drawn) for _ in range(20)]:
        assert model.mean(load) == pytest.approx(_truth(load), rel=0.08)
    assert min(model.coefficients) >= 0.0


def test_the_bound_is_rarely_passed_and_not_wasteful() -> None:
    model, drawn = LinearCost(UNITS), random.Random(4)
    _feed(model, 1500, 0.1, seed=3)
    loads = [_load(drawn) for _ in range(2000)]
    over = sum(_truth(load) * math.exp(drawn.gauss(0, 0.1)) > 1.1 * model.upper(load) for load in loads)
    assert over <= 20
    assert sum(model.upper(load) / _truth(load) for load in loads) / len(loads) < 1.6


def test_an_untrained_model_and_one_far_from_what_it_knows_promise_nothing() -> None:
    model = LinearCost(UNITS)
    assert model.upper(DECODE) == math.inf and model.mean(DECODE) == 0.0
    model.learn(DECODE, 0.004)
    assert math.isfinite(model.upper(DECODE)) and model.upper(DECODE) >= 0.004
    assert math.isfinite(model.upper(DECODE._replace(single_tokens=2.0)))
    assert model.upper(DECODE._replace(single_tokens=4.0)) == math.inf
    assert model.upper(DECODE._replace(wide_tokens=256.0)) == math.inf


def test_one_hiccup_changes_nothing_and_a_slower_machine_is_noticed() -> None:
    model = LinearCost(UNITS)
    _feed(model, 400, 0.02)
    before = model.mean(DECODE)
    model.learn(DECODE, 50 * before)
    assert model.mean(DECODE) == before
    assert model.upper(DECODE) < 1.3 * before
    for _ in range(8):
        model.learn(DECODE, 5 * before)
    assert model.mean(DECODE) == pytest.approx(5 * before, rel=0.2)
    assert model.lower(DECODE) <= before


def test_a_machine_that_is_a_little_slower_is_bounded_after_two_steps() -> None:
    model = LinearCost(UNITS)
    for _ in range(300):
        model.learn(DECODE, 0.004)
    assert model.upper(DECODE) < 0.0042
    for _ in range(2):
        model.learn(DECODE, 0.006)
    assert model.upper(DECODE) >= 0.0059


def test_old_ratios_are_forgotten() -> None:
    ratios = Ratios()
    for step in range(600):
        ratios.add(step, 3.0 if step < 300 else 1.0)
    assert len(ratios) == 512 and ratios.high == 3.0
    ratios.age(4500)
    assert ratios.high == 1.0 and len(ratios) == 196


def test_what_never_fits_is_tried_ever_more_seldom() -> None:
    cost = StepCost()
    tries = []
    for step in range(3000):
        if not cost.fits(DECODE, 0.002) and cost.may_try(DECODE, 0.002):
            tries.append(step)
            cost.learn(DECODE, 0.005)
    assert 1 <= len(tries) <= 16
    assert all(later - earlier > 3 for earlier, later in itertools.pairwise(tries))


def test_an_early_hiccup_does_not_shut_out_for_ever() -> None:
    cost = StepCost()
    cost.learn(DECODE, 1.0)
    done = 0
    for _ in range(200):
        if cost.fits(DECODE, 0.01) or cost.may_try(DECODE, 0.01):
            cost.learn(DECODE, 0.005)
            done += 1
    assert done > 100 and cost.fits(DECODE, 0.01)


def test_rows_to_score_fit_the_time() -> None:
    cost = StepCost()
    assert cost.rows_within(65536, 10, 0.0) == 0
    assert cost.rows_within(65536, 10, 1.0) == 256
    rows, drawn = 256, random.Random(1)
    for _ in range(60):
        cost.learn_scoring(rows, 10, (1e-4 + rows * 1e-7 + rows * 10 * 1e-8) * drawn.uniform(0.95, 1.05))
        rows = cost.rows_within(65536, 10, 0.005)
    assert 15_000 < rows < 26_000


def test_nothing_costs_nothing() -> None:
    assert sum(NOTHING) == 0.0
