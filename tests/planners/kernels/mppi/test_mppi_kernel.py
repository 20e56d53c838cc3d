from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_ackermann import Ackermann
from premotor_planners.kernels.mppi_costs import MppiCosts
from premotor_planners.kernels.mppi_differential import Differential
from premotor_planners.kernels.mppi_graph import PARTS
from premotor_planners.kernels.mppi_motion import Motion
from premotor_planners.kernels.mppi_omnidirectional import Omnidirectional
from premotor_planners.kernels.mppi_reference import positions, sampled
from premotor_planners.kernels.mppi_variants import ackermann_mppi, omnidirectional_mppi

MOTIONS = (Differential(), Omnidirectional(), Ackermann())
SMALL = Mppi(rollouts=64, steps=12, rows=40, cols=44)


@pytest.mark.parametrize("motion", MOTIONS, ids=lambda motion: motion.name)
@pytest.mark.parametrize("seed", range(8))
def test_the_sequence_keeps_every_limit(motion: Motion, seed: int, scene: Any) -> None:
    kernel = Mppi(rollouts=64, steps=12, rows=40, cols=44, motion=motion)
    inputs = scene(kernel, seed)
    inputs["state"][3:] = np.clip(inputs["state"][3:], kernel.columns.low[:, 0], kernel.columns.high[:, 0])
    sequence = kernel.reference(inputs)["sequence"]
    change = np.diff(sequence, axis=0, prepend=inputs["state"][None, 3:])
    for at, channel in enumerate(motion.channels):
        assert (np.abs(change[:, at]) <= channel.rate * kernel.dt_s + 1e-5).all()
        assert (sequence[:, at] <= channel.high + 1e-5).all() and (sequence[:, at] >= channel.low - 1e-5).all()


def test_a_zero_deviation_holds_the_turn_rate_at_zero(scene: Any) -> None:
    kernel = Mppi(rollouts=32, steps=8, rows=20, cols=20, motion=Differential(w_std_rps=0.0))
    inputs = scene(kernel, 2)
    inputs["nominal"][:, 1], inputs["state"][4] = 0.0, 0.0
    assert (kernel.reference(inputs)["sequence"][:, 1] == 0.0).all()


@pytest.mark.parametrize("motion", MOTIONS, ids=lambda motion: motion.name)
def test_it_drives_down_the_guide_and_away_from_a_wall(motion: Motion, scene: Any) -> None:
    kernel = Mppi(rollouts=256, steps=20, motion=motion)
    inputs = scene(kernel, 0, clearance=0.6)
    cols = np.arange(kernel.cols) * kernel.resolution_m
    inputs["fields"][1] = 4.8 - cols[None, :]
    inputs["state"][:] = 0.0
    inputs["state"][:2] = 2.0, 2.4
    inputs["nominal"][:] = 0.0
    inputs["noise"] = np.repeat(inputs["noise"][::5], 5, axis=0)
    free = kernel.reference(inputs)["sequence"]
    assert free[-1, 0] > 0.2
    inputs["fields"][0] = np.maximum(0.6 - 2.0 * np.maximum(cols - 2.0, 0.0), 0.0)[None, :]
    walled = kernel.reference(inputs)["sequence"]
    assert walled[:, 0].sum() < 0.7 * free[:, 0].sum()


def test_an_omnidirectional_base_slides_towards_a_goal_beside_it(scene: Any) -> None:
    kernel = Mppi(rollouts=256, steps=20, motion=Omnidirectional(w_std_rps=0.0))
    inputs = scene(kernel, 0, clearance=0.6)
    inputs["fields"][1] = 4.8 - np.arange(kernel.rows)[:, None] * kernel.resolution_m
    inputs["state"][:], inputs["nominal"][:] = 0.0, 0.0
    inputs["state"][:2] = 2.0, 2.0
    inputs["noise"] = np.repeat(inputs["noise"][::5], 5, axis=0)
    sequence = kernel.reference(inputs)["sequence"]
    assert sequence[-1, 1] > 0.05 and (sequence[:, 2] == 0.0).all()


def test_a_car_drives_the_circle_of_its_steering_angle() -> None:
    motion = Ackermann(wheelbase_m=0.5)
    kernel = Mppi(rollouts=1, steps=200, dt_s=0.01, motion=motion)
    controls = np.empty((200, 2, 1), np.float32)
    controls[:, 0], controls[:, 1] = 1.0, 0.4
    x, y = positions(kernel, np.zeros(5, np.float32), controls)
    radius = 0.5 / np.tan(0.4)
    np.testing.assert_allclose(np.hypot(x, y - radius), radius, rtol=1e-4)
    np.testing.assert_allclose(x[-1, 0], radius * np.sin(2.0 / radius), rtol=1e-3)


def test_a_steering_angle_measured_beyond_the_limit_turns_like_one_at_it() -> None:
    motion = Ackermann()
    beyond = motion.speeds([np.ones(3, np.float32), np.array([0.6, 1.5707964, 3.0], np.float32)])
    at = motion.speeds([np.ones(1, np.float32), np.array([0.5], np.float32)])
    assert (beyond.turn == at.turn).all()


def test_sampling_is_exact_for_a_plane() -> None:
    rows, cols = np.mgrid[: SMALL.rows, : SMALL.cols].astype(np.float32)
    x, y = (np.random.default_rng(1).uniform(0, 1.9, (2, 50))).astype(np.float32)
    found = sampled(SMALL, 2 * cols + 3 * rows, x, y)
    np.testing.assert_allclose(found, 2 * x / 0.05 + 3 * y / 0.05, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("motion", MOTIONS, ids=lambda motion: motion.name)
def test_the_graph_is_opset_17_with_static_shapes_and_named_parts(motion: Motion) -> None:
    kernel = Mppi(rollouts=64, steps=12, rows=40, cols=44, motion=motion)
    model = onnx.load_from_string(kernel.onnx())
    assert [entry.version for entry in model.opset_import if not entry.domain] == [17]
    assert {node.name.split("/")[0] for node in model.graph.node} == set(PARTS)
    assert len({node.name for node in model.graph.node}) == len(model.graph.node)
    assert [value.name for value in model.graph.input] == ["state", "nominal", "noise", "fields"]
    assert [value.name for value in model.graph.output] == ["sequence", "best_cost", "expected_cost", "free_share"]
    for value in (*model.graph.input, *model.graph.output):
        assert all(size.dim_value > 0 for size in value.type.tensor_type.shape.dim)


@pytest.mark.parametrize(
    "bad", [{"rollouts": 0}, {"steps": 0}, {"rows": 1}, {"cols": 5000}, {"dt_s": 0.0}, {"resolution_m": 0.0}]
)
def test_impossible_sizes_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="needed"):
        Mppi(**bad)


def test_impossible_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match="safe_m"):
        MppiCosts(radius_m=0.5, safe_m=0.4)
    with pytest.raises(ValueError, match="temperature"):
        MppiCosts(temperature=0.0)
    with pytest.raises(ValueError, match="deviation"):
        Differential(w_std_rps=-1.0)
    with pytest.raises(ValueError, match="`rate` above 0"):
        Omnidirectional(max_lateral_accel_mps2=0.0)
    with pytest.raises(ValueError, match="max_steer_rad"):
        Ackermann(max_steer_rad=1.6)
    with pytest.raises(ValueError, match="weights"):
        MppiCosts(hit=float("nan"))
    with pytest.raises(ValueError, match="`high`"):
        Differential(max_turn_rps=float("inf"))
    with pytest.raises(ValueError, match="wheelbase_m"):
        Ackermann(wheelbase_m=0.0)
    with pytest.raises(ValueError, match="further ahead"):
        Mppi(steps=100, dt_s=1.0)


def test_names_tell_the_motions_apart() -> None:
    assert [made.name for made in (Mppi(), omnidirectional_mppi(), ackermann_mppi())] == [
        "mppi", "mppi_omnidirectional", "mppi_ackermann",
    ]  # fmt: skip
