"""The noise against its definition, written out plainly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_ackermann import Ackermann
from premotor_planners.kernels.mppi_differential import Differential
from premotor_planners.kernels.mppi_motion import Motion
from premotor_planners.kernels.mppi_omnidirectional import Omnidirectional
from premotor_planners.kernels.tensor import Field
from premotor_planners.motion.noise import Noise

MOTIONS: list[Motion] = [Differential(), Omnidirectional(), Ackermann()]


def expected_noise(kernel: Mppi, random: np.random.Generator, calm: float, nominal: Field) -> Field:
    count = max(2, round(kernel.steps * kernel.dt_s / 0.2) + 1)
    knots = random.standard_normal((count, kernel.channels, kernel.rollouts), np.float32)
    at = np.linspace(0.0, count - 1, kernel.steps)
    before = np.minimum(at.astype(np.int64), count - 2)
    part = (at - before).astype(np.float32)[:, None, None]
    noise: Field = knots[before] + part * (knots[before + 1] - knots[before])
    noise[:, -1, kernel.rollouts - round(calm * kernel.rollouts) :] *= np.float32(0.2)
    noise[:, :, 0] = 0.0
    if kernel.rollouts > 1:
        noise[:, :, 1] = -nominal * kernel.columns.inverse_deviation[:, 0]
    return noise


@settings(max_examples=80, deadline=None)
@given(
    rollouts=st.integers(1, 40),
    steps=st.integers(1, 70),
    dt_s=st.sampled_from([0.02, 0.05, 0.1, 0.5]),
    motion=st.sampled_from(MOTIONS),
    calm=st.sampled_from([0.0, 0.4, 1.0]),
    seed=st.integers(0, 2**31),
)
def test_every_draw_equals_the_definition_bit_for_bit(
    rollouts: int, steps: int, dt_s: float, motion: Motion, calm: float, seed: int
) -> None:
    kernel = Mppi(rollouts, steps, dt_s, motion=motion)
    random, noise = np.random.default_rng(seed), Noise(kernel, seed, calm)
    for draw in range(3):
        nominal = np.full((steps, kernel.channels), 0.1 * draw, np.float32)
        found = noise.draw(nominal)
        assert found.dtype == np.float32 and found.flags.c_contiguous
        assert (found == expected_noise(kernel, random, calm, nominal)).all()


@pytest.mark.parametrize("times", [1, 2])
def test_what_is_prepared_is_what_is_drawn_anyway(times: int) -> None:
    kernel, nominal = Mppi(rollouts=8, steps=10), np.full((10, 2), 0.1, np.float32)
    noise, plain = Noise(kernel, 3, 0.4), Noise(kernel, 3, 0.4)
    for _ in range(3):
        for _ in range(times):
            noise.prepare()
        assert (noise.draw(nominal) == plain.draw(nominal)).all()
    noise.prepare()
    noise.restart()
    plain.restart()
    assert (noise.draw(nominal) == plain.draw(nominal)).all()


def test_a_restart_draws_the_same_again() -> None:
    kernel = Mppi(rollouts=8, steps=10)
    noise, nominal = Noise(kernel, 3), np.zeros((10, 2), np.float32)
    first = noise.draw(nominal).copy()
    assert (noise.draw(nominal) != first).any()
    noise.restart()
    assert (noise.draw(nominal) == first).all()


def test_given_sequences_are_the_rollouts_after_the_braking_one_as_far_as_there_are_any() -> None:
    kernel = Mppi(rollouts=4, steps=10)
    nominal = np.full((10, 2), 0.1, np.float32)
    wanted = [np.full((10, 2), value, np.float32) for value in (0.2, 0.3, 0.4)]
    drawn = Noise(kernel, 3).draw(nominal, wanted)
    tried = nominal[:, :, None] + drawn / kernel.columns.inverse_deviation[None]
    for rollout, sequence in enumerate([nominal, np.zeros_like(nominal), *wanted[:2]]):
        assert np.allclose(tried[:, :, rollout], sequence, atol=1e-6)
