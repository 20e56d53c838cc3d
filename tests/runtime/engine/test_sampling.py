"""Greedy takes the best, sampling follows the distribution, its filters and its seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.engine.answers.sampling import (
    SamplingParams,
    candidates,
    choose,
    likeliest,
    log_normalizer,
    log_softmax,
)
from premotor_runtime.engine.errors import RequestError

LOGITS = st.lists(st.floats(-30, 30, width=32), min_size=1, max_size=40).map(lambda v: np.array(v, np.float32))
TIED = st.lists(st.sampled_from([-2.0, 0.0, 1.0, 1.5]), min_size=1, max_size=40).map(lambda v: np.array(v, np.float32))
TEMPERATURES = st.floats(0.1, 2.0)


def _kept(logits: np.ndarray, **values: float) -> set[int]:
    return {int(index) for index in candidates(logits, SamplingParams(**{"temperature": 1.0} | values))[0]}  # type: ignore[arg-type]


@given(LOGITS)
def test_greedy_takes_the_first_of_the_largest(logits: np.ndarray) -> None:
    assert choose(logits, SamplingParams(), np.random.default_rng(0)) == int(np.argmax(logits))


@given(LOGITS | TIED, TEMPERATURES, st.floats(0.05, 0.999))
def test_top_p_keeps_the_smallest_set_that_reaches_it(logits: np.ndarray, temperature: float, top_p: float) -> None:
    kept = _kept(logits, temperature=temperature, top_p=top_p)
    shares = np.exp(log_softmax(logits / np.float32(temperature)))
    inside = shares[list(kept)]
    outside = np.delete(shares, list(kept))
    assert inside.sum() >= top_p - 1e-5
    assert inside.sum() - inside.min() < top_p + 1e-5
    assert not len(outside) or outside.max() <= inside.min() + 1e-9


@given(LOGITS | TIED, st.integers(1, 50))
def test_top_k_keeps_the_k_largest_and_what_ties_with_the_last(logits: np.ndarray, top_k: int) -> None:
    bound = np.sort(logits)[::-1][min(top_k, len(logits)) - 1]
    assert _kept(logits, top_k=top_k) == {index for index, value in enumerate(logits - logits.max())
                                          if value >= bound - logits.max()}  # fmt: skip


@given(LOGITS | TIED, TEMPERATURES, st.floats(0.001, 1.0))
def test_min_p_keeps_a_share_of_the_likeliest(logits: np.ndarray, temperature: float, min_p: float) -> None:
    ratios = np.exp((logits.astype(np.float64) - logits.max()) / temperature)
    kept = _kept(logits, temperature=temperature, min_p=min_p)
    assert {i for i, ratio in enumerate(ratios) if ratio >= min_p * 1.001} <= kept
    assert kept <= {i for i, ratio in enumerate(ratios) if ratio >= min_p * 0.999}


@given(LOGITS, TEMPERATURES, st.integers(0, 5), st.floats(0.1, 1.0), st.floats(0.0, 1.0), st.integers(0, 2**32 - 1))
def test_a_draw_is_one_of_the_candidates_and_repeats_with_its_seed(
    logits: np.ndarray, temperature: float, top_k: int, top_p: float, min_p: float, seed: int
) -> None:
    params = SamplingParams(temperature, top_p, seed, top_k, min_p)
    drawn = [choose(logits, params, np.random.default_rng(seed)) for _ in range(2)]
    assert drawn[0] == drawn[1]
    kept, weights = candidates(logits, params)
    assert weights.max() == 1.0  # the likeliest, or one that rounding makes its equal
    assert drawn[0] in kept[weights > 0]


def test_filters_work_one_after_the_other() -> None:
    logits = np.log(np.array([0.4, 0.3, 0.2, 0.1], np.float32))
    assert _kept(logits, min_p=0.3) == {0, 1, 2}
    assert _kept(logits, top_k=3, top_p=0.75) == {0, 1}  # 0.4 + 0.3 of 0.9 is 0.78
    assert _kept(logits, top_p=0.75) == {0, 1, 2}
    assert _kept(logits, min_p=0.6, top_p=0.55) == {0}  # 0.4 of 0.7 is 0.57


def test_an_impossible_token_is_never_drawn() -> None:
    logits = np.array([-np.inf, 0.0, -np.inf, 1.0], np.float32)
    for params in (SamplingParams(2.0), SamplingParams(2.0, 0.9, top_k=4, min_p=0.01)):
        random = np.random.default_rng(1)
        assert {choose(logits, params, random) for _ in range(200)} == {1, 3}


def test_frequencies_follow_probabilities() -> None:
    random = np.random.default_rng(3)
    logits = np.log(np.array([0.7, 0.2, 0.1], np.float32))
    drawn = [choose(logits, SamplingParams(temperature=1.0), random) for _ in range(2000)]
    assert np.bincount(drawn, minlength=3) / 2000 == pytest.approx([0.7, 0.2, 0.1], abs=0.04)


@given(LOGITS | TIED, st.integers(1, 20))
def test_the_likeliest_come_best_first(logits: np.ndarray, count: int) -> None:
    expected = sorted(range(len(logits)), key=lambda index: (-logits[index], index))[:count]
    assert [int(index) for index in likeliest(logits, count)] == expected


@given(LOGITS)
def test_log_softmax_is_a_distribution(logits: np.ndarray) -> None:
    assert np.exp(log_softmax(logits)).sum() == pytest.approx(1.0)
    assert logits - log_normalizer(logits) == pytest.approx(log_softmax(logits), abs=1e-4)


@pytest.mark.parametrize(
    ("values", "allowed"),
    [
        ({"temperature": -1.0}, r"temperature must be a number in \[0, 10\]; given -1.0"),
        ({"temperature": float("nan")}, "given nan"),
        ({"temperature": float("inf")}, "given inf"),
        ({"temperature": "hot"}, "given 'hot'"),
        ({"temperature": True}, "given True"),
        ({"temperature": None}, "given None"),
        ({"top_p": 0.0}, r"top_p must be a number in \(0, 1\]; given 0.0; 1 keeps all"),
        ({"top_p": 1.01}, r"\(0, 1\]"),
        ({"top_k": -2}, r"top_k must be a whole number in \[0, "),
        ({"top_k": 2.5}, "given 2.5"),
        ({"min_p": 1.5}, r"\[0, 1\]"),
        ({"min_p": float("nan")}, "given nan"),
        ({"repetition_penalty": 0.0}, r"\(0, 10\]"),
        ({"repetition_penalty": float("-inf")}, "given -inf"),
        ({"presence_penalty": 3.0}, r"\[-2, 2\]"),
        ({"frequency_penalty": -2.5}, r"\[-2, 2\]"),
        ({"seed": -1}, "given -1"),
        ({"seed": 1.0}, "whole number"),
        ({"logprobs": 21}, r"\[0, 20\]"),
        ({"logprobs": -1}, "given -1"),
    ],
)
def test_bad_values_are_refused_with_what_is_allowed(values: dict[str, float], allowed: str) -> None:
    with pytest.raises(RequestError, match=allowed) as caught:
        SamplingParams(**values)  # type: ignore[arg-type]
    assert caught.value.exit_code == 3
