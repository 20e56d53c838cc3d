from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_foundation.native_code.compiler import find_compiler
from premotor_foundation.native_code.errors import BuildError
from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_reference import body_clearance, rate_limited, varied
from premotor_planners.kernels.mppi_tolerances import EDGE_M, TOLERANCES

Inputs = dict[str, Any]
Scene = Callable[..., Inputs]


def made_scene(kernel: Mppi, seed: int, clearance: float | None = None, noise: float = 1.0) -> Inputs:
    random = np.random.default_rng(seed)
    rows, cols = np.mgrid[: kernel.rows, : kernel.cols] * kernel.resolution_m
    wall = np.abs(rows - random.uniform(0, 2)) if clearance is None else np.full(rows.shape, clearance)
    fields = np.stack([np.minimum(wall, 0.6), np.hypot(cols - random.uniform(0, 2), rows - random.uniform(0, 2))])
    measured = [random.uniform(-0.1, 0.7), *random.uniform(-0.4, 0.4, kernel.channels - 1)]
    state = [*random.uniform(0.3, 1.6, 2), random.uniform(-3, 3), *measured]
    return {
        "state": np.array(state, np.float32),
        "nominal": (random.normal(size=(kernel.steps, kernel.channels)) * 0.4).astype(np.float32),
        "noise": (random.standard_normal((kernel.steps, kernel.channels, kernel.rollouts)) * noise).astype(np.float32),
        "fields": fields.astype(np.float32),
    }


def share_on_the_edge(kernel: Mppi, inputs: Inputs) -> float:
    """Of rollouts whose least clearance is so close to the radius that rounding decides whether they are free."""
    reached = rate_limited(kernel, inputs["state"], varied(kernel, inputs["nominal"], inputs["noise"]))
    least = body_clearance(kernel, inputs["fields"][0], inputs["state"], reached).min(axis=0)
    steepest = 1.0 + np.abs(np.diff(inputs["fields"][0])).max() / kernel.resolution_m
    return float((np.abs(least - kernel.costs.radius_m) < EDGE_M * steepest).mean())


def check_agreement(kernel: Mppi, inputs: Inputs, found: Inputs) -> None:
    expected = kernel.reference(inputs)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert value.dtype == np.float32 and value.shape == found[name].shape
        assert np.isfinite(found[name]).all() and np.isfinite(value).all()
        absolute, relative = TOLERANCES[name]
        allowed = absolute + relative * np.abs(value).max()
        if name == "free_share":
            allowed = share_on_the_edge(kernel, inputs) + 1e-6
        assert np.abs(found[name] - value).max() <= allowed, name


def outputs_of(compiled: Any, kernel: Mppi, inputs: Inputs) -> Inputs:
    outputs = {tensor.name: tensor.zeros() for tensor in kernel.outputs}
    compiled.run(inputs, outputs)
    return outputs


@pytest.fixture(scope="session")
def scene() -> Scene:
    """Makes inputs: `scene(kernel, seed, clearance=None, noise=1.0)`."""
    return made_scene


@pytest.fixture(scope="session")
def agree() -> Callable[[Mppi, Inputs, Inputs], None]:
    """Holds outputs to the reference: `agree(kernel, inputs, found)`."""
    return check_agreement


@pytest.fixture(scope="session", params=["onnxruntime", "native"])
def compute(request: pytest.FixtureRequest) -> Callable[[Mppi], Callable[[Inputs], Inputs]]:
    """Compiles a kernel for the CPU in one of the two ways: `compute(kernel)(inputs)` gives its outputs."""
    try:
        find_compiler()
    except BuildError as error:
        if request.param == "native":
            pytest.skip(f"no native version here: {error}")
    device = CpuDevice(implementation=request.param)
    return lambda kernel: partial(outputs_of, device.compile(kernel), kernel)
