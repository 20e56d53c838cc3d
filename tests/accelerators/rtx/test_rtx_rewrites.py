"""Every rewrite of the placement checker, built by the real builder before and after."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from premotor_accelerators.dla.rewrites import REWRITES
from premotor_accelerators.dla.rewriting import rewrite_model
from premotor_accelerators.tensorrt.builder import build_engine
from premotor_accelerators.tensorrt.options import BuildOptions
from premotor_accelerators.tensorrt.vendor import Vendor

pytestmark = pytest.mark.rtx
SHAPE = (2, 6, 8, 8)
CASES: dict[str, Callable[[Any], str]] = {
    "pad-into-conv": lambda net: net.conv(net.op("Pad", "x", net.ints(0, 0, 1, 1, 0, 0, 1, 1)), 6, 4, 3, pad=0),
    "resize-scales": lambda net: net.op(
        "Resize", "x", "", "", net.ints(2, 6, 16, 32), mode="nearest", nearest_mode="floor",
        coordinate_transformation_mode="asymmetric",
    ),
    "global-average-pool": lambda net: net.op("GlobalAveragePool", "x"),
    "flatten-gemm": lambda net: net.gemm(net.op("Flatten", "x", axis=1), 384, 5),
    "hard-swish": lambda net: net.op("HardSwish", "x"),
    "division": lambda net: net.op("Div", "x", net.constant(3.0)),
}  # fmt: skip


@pytest.fixture
def net() -> Any:
    """The graph builder of the checker's tests, by its path: test folders are no packages."""
    spec = importlib.util.spec_from_file_location("rtx_networks", Path(__file__).parents[1] / "dla" / "networks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Net()


def test_there_is_a_case_for_every_rewrite() -> None:
    assert {rewrite.name for rewrite in REWRITES} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_a_rewritten_graph_builds(name: str, vendor: Vendor, net: Any) -> None:
    found = rewrite_model(net.model({"x": SHAPE}, [CASES[name](net)]))
    assert name in found.applied
    options = BuildOptions("fp32", compute_capability="8.6")
    assert len(build_engine(vendor, name, found.model.SerializeToString(), options).engine) > 10_000
