"""Graph and native version against the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from premotor_planners.errors import KernelInputError
from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_ackermann import Ackermann
from premotor_planners.kernels.mppi_costs import MppiCosts
from premotor_planners.kernels.mppi_differential import Differential
from premotor_planners.kernels.mppi_omnidirectional import Omnidirectional

MOTIONS = (Differential(), Omnidirectional(), Ackermann())
HELD = (
    Differential(w_std_rps=0.0),
    Differential(v_std_mps=0.0, w_std_rps=0.0),
    Omnidirectional(vy_std_mps=0.0),
    Ackermann(steer_std_rad=0.0),
)
SMALL = [Mppi(rollouts=67, steps=12, rows=40, cols=44, motion=motion) for motion in MOTIONS]


@pytest.mark.parametrize("kernel", SMALL, ids=lambda kernel: kernel.motion.name)
def test_both_versions_equal_the_reference(kernel: Mppi, compute: Any, scene: Any, agree: Any) -> None:
    run = compute(kernel)
    for seed in range(25):
        inputs = scene(kernel, seed)
        agree(kernel, inputs, run(inputs))


@pytest.mark.parametrize(
    "kernel",
    [
        Mppi(),
        Mppi(rollouts=1000, steps=56),
        Mppi(rollouts=1, steps=1, rows=2, cols=2),
        Mppi(rollouts=2, steps=2, rows=3, cols=5, motion=Omnidirectional()),
        Mppi(rollouts=16, steps=5, rows=20, cols=20, costs=MppiCosts(control=1.0, temperature=1.0), motion=HELD[0]),
        *[Mppi(rollouts=33, steps=7, rows=20, cols=31, dt_s=0.1, motion=motion) for motion in HELD],
    ],
)
def test_sizes_and_deviations_of_zero(kernel: Mppi, compute: Any, scene: Any, agree: Any) -> None:
    run = compute(kernel)
    for seed in range(3):
        inputs = scene(kernel, seed)
        agree(kernel, inputs, run(inputs))


@pytest.mark.parametrize("kernel", SMALL, ids=lambda kernel: kernel.motion.name)
@pytest.mark.parametrize("clearance", [0.0, 0.6])
@pytest.mark.parametrize("noise", [0.0, 1.0, 1e6])
def test_walls_everywhere_or_nowhere_and_absurd_noise(
    kernel: Mppi, clearance: float, noise: float, compute: Any, scene: Any, agree: Any
) -> None:
    inputs = scene(kernel, 3, clearance, noise)
    found = compute(kernel)(inputs)
    agree(kernel, inputs, found)
    assert found["free_share"][0] == (clearance > 0)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_scene_any_size(data: st.DataObject, compute: Any, scene: Any, agree: Any) -> None:
    sizes = st.tuples(*(st.integers(low, high) for low, high in ((1, 40), (1, 16), (2, 30), (2, 30))))
    rollouts, steps, rows, cols = data.draw(sizes)
    kernel = Mppi(
        rollouts,
        steps,
        data.draw(st.sampled_from([0.02, 0.05, 0.1])),
        rows,
        cols,
        motion=data.draw(st.sampled_from(MOTIONS)),
    )
    inputs = scene(kernel, data.draw(st.integers(0, 2**31)), noise=data.draw(st.sampled_from([0.0, 0.3, 1.0, 30.0])))
    place = st.floats(-3, 5, width=32)
    inputs["state"][:3] = data.draw(st.tuples(place, place, st.floats(-12, 12, width=32)))
    inputs["state"][3:] = data.draw(
        st.lists(st.floats(-2, 2, width=32), min_size=kernel.channels, max_size=kernel.channels)
    )
    agree(kernel, inputs, compute(kernel)(inputs))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**31), at=st.integers(0, 10**6), data=st.data())
def test_numbers_at_the_ends_of_their_ranges_stay_finite(
    seed: int, at: int, data: st.DataObject, compute: Any, scene: Any
) -> None:
    kernel = data.draw(st.sampled_from(SMALL))
    inputs = scene(kernel, seed)
    name, most = data.draw(st.sampled_from([("nominal", 1e4), ("noise", 1e8), ("fields", 1e6), ("state", 100.0)]))
    sign = data.draw(st.sampled_from([-1.0, 1.0]))
    if data.draw(st.booleans()):
        inputs[name][...] = sign * most
    else:
        inputs[name].reshape(-1)[at % inputs[name].size] = sign * most
    for value in (*compute(kernel)(inputs).values(), *kernel.reference(inputs).values()):
        assert np.isfinite(value).all()


@pytest.mark.parametrize("kernel", SMALL, ids=lambda kernel: kernel.motion.name)
@pytest.mark.parametrize("name", ["state", "nominal", "noise", "fields"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e30])
def test_numbers_that_are_none_are_refused_and_nothing_is_written(
    kernel: Mppi, name: str, bad: float, compute: Any, scene: Any
) -> None:
    run = compute(kernel)
    for place in (0, -1):
        inputs = scene(kernel, 1)
        inputs[name].reshape(-1)[place] = bad
        with pytest.raises(KernelInputError, match=f"input `{name}`"):
            run(inputs)
        with pytest.raises(KernelInputError, match=f"input `{name}`"):
            kernel.reference(inputs)


def test_far_outside_the_window_is_its_edge(compute: Any, scene: Any, agree: Any) -> None:
    kernel = SMALL[0]
    inputs = scene(kernel, 1)
    inputs["state"][:2] = -50.0, 1e6
    found = compute(kernel)(inputs)
    agree(kernel, inputs, found)
    assert abs(found["best_cost"][0]) < 100 * kernel.steps


def test_runs_do_not_depend_on_the_ones_before(compute: Any, scene: Any) -> None:
    kernel = SMALL[1]
    run = compute(kernel)
    first = run(scene(kernel, 1))
    run(scene(kernel, 2, clearance=0.0, noise=1e6))
    again = run(scene(kernel, 1))
    assert all((first[name] == again[name]).all() for name in first)
