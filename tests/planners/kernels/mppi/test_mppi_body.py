from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_ackermann import Ackermann
from premotor_planners.kernels.mppi_costs import MppiCosts
from premotor_planners.kernels.mppi_differential import Differential
from premotor_planners.kernels.mppi_omnidirectional import Omnidirectional
from premotor_planners.kernels.mppi_tolerances import TOLERANCES

BODY = (-0.19, -0.06, 0.06, 0.19)


@pytest.mark.parametrize("motion", [Differential(), Omnidirectional(), Ackermann()], ids=lambda m: m.name)
@pytest.mark.parametrize("body", [BODY, (0.1,)])
def test_a_footprint_of_discs_agrees(
    motion: Any, body: tuple[float, ...], scene: Callable[..., Any], compute: Callable[..., Any]
) -> None:
    kernel = Mppi(rollouts=45, steps=12, rows=48, cols=48, motion=motion, body_m=body)
    given = scene(kernel, 3)
    found, expected = compute(kernel)(given), kernel.reference(given)
    for name in ("sequence", "best_cost", "expected_cost"):
        absolute, relative = TOLERANCES[name]
        assert np.abs(found[name] - expected[name]).max() <= absolute + relative * np.abs(expected[name]).max()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    body=st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=8).map(tuple),
    motion=st.sampled_from([Differential(), Omnidirectional(), Ackermann()]),
    sizes=st.tuples(*(st.integers(low, high) for low, high in ((1, 40), (1, 12), (2, 30), (2, 30)))),
    pose=st.tuples(st.floats(-1, 3, width=32), st.floats(-1, 3, width=32), st.floats(-12, 12, width=32)),
    seed=st.integers(0, 2**31),
)
def test_any_discs_agree_inside_the_window_and_out(
    body: tuple[float, ...],
    motion: Any,
    sizes: tuple[int, int, int, int],
    pose: tuple[float, float, float],
    seed: int,
    scene: Callable[..., Any],
    compute: Callable[..., Any],
    agree: Callable[..., None],
) -> None:
    rollouts, steps, rows, cols = sizes
    kernel = Mppi(rollouts, steps, rows=rows, cols=cols, motion=motion, body_m=body)
    inputs = scene(kernel, seed)
    inputs["state"][:3] = pose
    agree(kernel, inputs, compute(kernel)(inputs))


def test_a_disc_ahead_meets_a_wall_before_the_pose_does(scene: Callable[..., Any]) -> None:
    kernel = Mppi(rollouts=1, steps=4, rows=40, cols=40, costs=MppiCosts(radius_m=0.2, safe_m=0.3))
    given = scene(kernel, 0, noise=0.0)
    cols = np.arange(40) * kernel.resolution_m
    given["fields"][0] = np.maximum(1.5 - cols, 0.0)[None]  # a wall at x = 1.5
    given["state"][:] = (1.15, 1.0, 0.0, 0.0, 0.0)
    given["nominal"][:] = 0.0
    longer = Mppi(rollouts=1, steps=4, rows=40, cols=40, costs=kernel.costs, body_m=(0.0, 0.3))
    assert kernel.reference(given)["free_share"][0] == 1.0
    assert longer.reference(given)["free_share"][0] == 0.0


@pytest.mark.parametrize("body", [(), (float("nan"),), (9.0,), (0.0,) * 9])
def test_a_footprint_that_cannot_be_is_refused(body: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="body_m"):
        Mppi(body_m=body)
