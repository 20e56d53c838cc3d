from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_parameters import MppiCosts, MppiLimits

SMALL = Mppi(rollouts=64, steps=12, rows=40, cols=44)


def inputs_for(kernel: Mppi, seed: int, clearance: float | None = None, noise: float = 1.0) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    rows, cols = np.mgrid[: kernel.rows, : kernel.cols] * kernel.resolution_m
    wall = np.abs(rows - random.uniform(0, 2)) if clearance is None else np.full(rows.shape, clearance)
    fields = np.stack([np.minimum(wall, 0.6), np.hypot(cols - random.uniform(0, 2), rows - random.uniform(0, 2))])
    state = [
        *random.uniform(0.3, 1.6, 2),
        *random.uniform(-3, 3, 1),
        *random.uniform(-0.1, 0.7, 1),
        *random.uniform(-1, 1, 1),
    ]
    return {
        "state": np.array(state, np.float32),
        "nominal": (random.normal(size=(kernel.steps, 2)) * 0.4).astype(np.float32),
        "noise": (random.standard_normal((kernel.steps, 2, kernel.rollouts)) * noise).astype(np.float32),
        "fields": fields.astype(np.float32),
    }


def on_cpu(kernel: Mppi, inputs: dict[str, Any], run: Any = None) -> dict[str, Any]:
    outputs = {tensor.name: tensor.zeros() for tensor in kernel.outputs}
    (run or CpuDevice().compile(kernel)).run(inputs, outputs)
    return outputs


def assert_agree(kernel: Mppi, found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert value.dtype == np.float32 and value.shape == found[name].shape
        assert np.isfinite(found[name]).all() and np.isfinite(value).all()
        scale = 1.0 + np.abs(value).max() if name.endswith("cost") else 1.0
        assert np.abs(found[name] - value).max() <= kernel.tolerance * scale, name


def test_onnx_equals_the_reference() -> None:
    run = CpuDevice().compile(SMALL)
    for seed in range(40):
        inputs = inputs_for(SMALL, seed)
        assert_agree(SMALL, on_cpu(SMALL, inputs, run), SMALL.reference(inputs))


@pytest.mark.parametrize(
    "kernel",
    [
        Mppi(),
        Mppi(rollouts=1, steps=1, rows=2, cols=2),
        Mppi(rollouts=2, steps=2, rows=3, cols=5),
        Mppi(rollouts=16, steps=5, rows=20, cols=20, limits=MppiLimits(v_std_mps=0.0, w_std_rps=0.0)),
        Mppi(rollouts=16, steps=5, rows=20, cols=20, costs=MppiCosts(control=1.0), limits=MppiLimits(w_std_rps=0.0)),
    ],
)
def test_sizes_and_zero_deviations(kernel: Mppi) -> None:
    for seed in range(3):
        inputs = inputs_for(kernel, seed)
        assert_agree(kernel, on_cpu(kernel, inputs), kernel.reference(inputs))


@pytest.mark.parametrize("clearance", [0.0, 0.6])
@pytest.mark.parametrize("noise", [0.0, 1.0, 1e6])
def test_walls_everywhere_or_nowhere_and_absurd_noise(clearance: float, noise: float) -> None:
    inputs = inputs_for(SMALL, 3, clearance, noise)
    found = on_cpu(SMALL, inputs)
    assert_agree(SMALL, found, SMALL.reference(inputs))
    assert found["free_share"][0] == (clearance > 0)


def test_far_outside_the_window_is_finite() -> None:
    inputs = inputs_for(SMALL, 1)
    inputs["state"][:2] = -50.0, 1e6
    assert_agree(SMALL, on_cpu(SMALL, inputs), SMALL.reference(inputs))


@pytest.mark.parametrize("seed", range(20))
def test_the_sequence_keeps_every_limit(seed: int) -> None:
    inputs = inputs_for(SMALL, seed)
    limits, dt = SMALL.limits, SMALL.dt_s
    sequence = SMALL.reference(inputs)["sequence"]
    change = np.diff(sequence, axis=0, prepend=inputs["state"][None, 3:5])
    assert (np.abs(change) <= np.array([limits.max_accel_mps2, limits.max_turn_accel_rps2]) * dt + 1e-5).all()
    assert (sequence[:, 0] <= limits.max_forward_mps + 1e-5).all()
    assert (sequence[:, 0] >= -limits.max_reverse_mps - 1e-5).all()
    assert (np.abs(sequence[:, 1]) <= limits.max_turn_rps + 1e-5).all()


def test_a_zero_deviation_holds_the_turn_rate_at_zero() -> None:
    kernel = Mppi(rollouts=32, steps=8, rows=20, cols=20, limits=MppiLimits(w_std_rps=0.0))
    inputs = inputs_for(kernel, 2)
    inputs["nominal"][:, 1], inputs["state"][4] = 0.0, 0.0
    assert (kernel.reference(inputs)["sequence"][:, 1] == 0.0).all()


def test_it_drives_down_the_guide_and_away_from_a_wall() -> None:
    kernel = Mppi(rollouts=256, steps=20)
    inputs = inputs_for(kernel, 0, clearance=0.6)
    cols = np.arange(kernel.cols) * kernel.resolution_m
    inputs["fields"][1] = 4.8 - cols[None, :]
    inputs["state"][:] = 2.0, 2.4, 0.0, 0.0, 0.0
    inputs["nominal"][:] = 0.0
    inputs["noise"] = np.repeat(inputs["noise"][::5], 5, axis=0)
    free = kernel.reference(inputs)["sequence"]
    assert free[-1, 0] > 0.2
    inputs["fields"][0] = np.maximum(0.6 - 2.0 * np.maximum(cols - 2.0, 0.0), 0.0)[None, :]
    walled = kernel.reference(inputs)["sequence"]
    assert walled[:, 0].sum() < 0.7 * free[:, 0].sum()


def test_sampling_is_exact_for_a_plane() -> None:
    rows, cols = np.mgrid[: SMALL.rows, : SMALL.cols].astype(np.float32)
    x, y = (np.random.default_rng(1).uniform(0, 1.9, (2, 50))).astype(np.float32)
    found = SMALL.sampled(2 * cols + 3 * rows, x, y)
    np.testing.assert_allclose(found, 2 * x / 0.05 + 3 * y / 0.05, rtol=1e-4, atol=1e-3)


def test_the_graph_is_opset_17_with_static_shapes_and_readable_names() -> None:
    model = onnx.load_from_string(SMALL.onnx())
    assert [entry.version for entry in model.opset_import if not entry.domain] == [17]
    assert all(node.name for node in model.graph.node)
    names = {value.name for value in (*model.graph.input, *model.graph.output)}
    assert names == {"state", "nominal", "noise", "fields", "sequence", "best_cost", "expected_cost", "free_share"}
    for value in (*model.graph.input, *model.graph.output):
        assert all(size.dim_value > 0 for size in value.type.tensor_type.shape.dim)


@pytest.mark.parametrize("bad", [{"rollouts": 0}, {"steps": 0}, {"rows": 1}, {"dt_s": 0.0}])
def test_impossible_sizes_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="needed"):
        Mppi(**bad)


def test_impossible_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match="safe_m"):
        MppiLimits(radius_m=0.5, safe_m=0.4)
    with pytest.raises(ValueError, match="temperature"):
        MppiCosts(temperature=0.0)
    with pytest.raises(ValueError, match="at least 0"):
        MppiLimits(w_std_rps=-1.0)
