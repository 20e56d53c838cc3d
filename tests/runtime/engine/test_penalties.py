"""Penalties follow their formulas, whether all logits are at hand or only some."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.engine.answers.penalties import Penalties
from premotor_runtime.engine.answers.sampling import SamplingParams

VOCABULARY = 12
TOKENS = st.lists(st.integers(0, VOCABULARY - 1), max_size=12)
LOGITS = st.lists(st.floats(-9, 9, width=32), min_size=VOCABULARY, max_size=VOCABULARY).map(
    lambda values: np.array(values, np.float32)
)


def _naive(logits: np.ndarray, params: SamplingParams, prompt: list[int], output: list[int]) -> list[float]:
    scores = [float(value) for value in logits]
    for token in range(VOCABULARY):
        if token in prompt or token in output:
            factor = 1 / params.repetition_penalty if scores[token] > 0 else params.repetition_penalty
            scores[token] *= factor
        scores[token] -= params.frequency_penalty * output.count(token)
        scores[token] -= params.presence_penalty * (token in output)
    return scores


@given(LOGITS, TOKENS, TOKENS, st.floats(0.5, 2.0), st.floats(-2, 2), st.floats(-2, 2), st.sets(st.integers(0, 11)))
def test_the_formula(
    logits: np.ndarray, prompt: list[int], output: list[int], repetition: float, presence: float, frequency: float,
    some: set[int],
) -> None:  # fmt: skip
    params = SamplingParams(repetition_penalty=repetition, presence_penalty=presence, frequency_penalty=frequency)
    penalties = Penalties(params, prompt)
    for token in output:
        penalties.note(token)
    before = logits.copy()
    expected = _naive(logits, params, prompt, output)
    assert penalties.apply(logits, None) == pytest.approx(expected, abs=1e-4)
    ids = np.array(sorted(some | {3}), np.int64)
    assert penalties.apply(logits[ids], ids) == pytest.approx([expected[token] for token in ids], abs=1e-4)
    assert np.array_equal(logits, before)


def test_a_copy_counts_for_itself() -> None:
    first = Penalties(SamplingParams(frequency_penalty=1.0), [1])
    first.note(1)
    second = first.copy()
    second.note(1)
    second.note(0)
    zeros = np.zeros(3, np.float32)
    assert first.apply(zeros, None).tolist() == [0, -1, 0]
    assert second.apply(zeros, None).tolist() == [-1, -2, 0]


def test_no_penalty_is_no_work() -> None:
    assert not SamplingParams(temperature=1.0, top_p=0.5).penalizes
    assert SamplingParams(repetition_penalty=1.1).penalizes
