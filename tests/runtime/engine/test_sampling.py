"""Greedy takes the best, sampling follows the distribution and its seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.engine.sampling import SamplingParams, choose, log_softmax

LOGITS = st.lists(st.floats(-30, 30, width=32), min_size=1, max_size=20).map(lambda v: np.array(v, np.float32))


@given(LOGITS)
def test_greedy_takes_the_first_of_the_largest(logits: np.ndarray) -> None:
    assert choose(logits, SamplingParams(), np.random.default_rng(0)) == int(np.argmax(logits))


@given(LOGITS, st.floats(0.1, 2.0), st.floats(0.05, 1.0), st.integers(0, 2**32 - 1))
def test_sampling_repeats_with_its_seed_and_keeps_to_the_nucleus(
    logits: np.ndarray, temperature: float, top_p: float, seed: int
) -> None:
    params = SamplingParams(temperature, top_p, seed)
    drawn = [choose(logits, params, np.random.default_rng(seed)) for _ in range(2)]
    assert drawn[0] == drawn[1]
    shares = np.exp(log_softmax(logits / np.float32(temperature)))
    assert shares[shares > shares[drawn[0]]].sum() < top_p + 1e-6


@given(LOGITS)
def test_log_softmax_is_a_distribution(logits: np.ndarray) -> None:
    assert np.exp(log_softmax(logits)).sum() == pytest.approx(1.0)


def test_frequencies_follow_probabilities() -> None:
    random = np.random.default_rng(3)
    logits = np.log(np.array([0.7, 0.2, 0.1], np.float32))
    drawn = [choose(logits, SamplingParams(temperature=1.0), random) for _ in range(2000)]
    assert np.bincount(drawn, minlength=3) / 2000 == pytest.approx([0.7, 0.2, 0.1], abs=0.04)


@pytest.mark.parametrize("values", [{"temperature": -1.0}, {"top_p": 0.0}, {"temperature": float("nan")}])
def test_bad_values_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="temperature must be"):
        SamplingParams(**values)
