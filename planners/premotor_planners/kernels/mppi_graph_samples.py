"""The part `costmap` of the graph: both planes at every point of every rollout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from onnx import TensorProto

from premotor_planners.kernels.mppi_reference import EDGE
from premotor_planners.kernels.mppi_stage import Stage

if TYPE_CHECKING:
    from premotor_planners.kernels.mppi import Mppi


def write_samples(stage: Stage, kernel: Mppi, x: str, y: str, body: list[tuple[str, str]]) -> tuple[str, str]:
    """Clearance (the least of the body's points) and guide (at x, y), each (steps, rollouts)."""
    clearance, guide = _both(stage, kernel, x, y)
    if body == [(x, y)]:
        return clearance, guide
    found = [_both(stage.inner(f"disc{i}"), kernel, *point)[0] for i, point in enumerate(body)]
    return (stage.op("Min", found, "body_clearance") if len(found) > 1 else found[0]), guide


def _both(stage: Stage, kernel: Mppi, x: str, y: str) -> tuple[str, str]:
    c, right = _index(stage, kernel, x, "col", kernel.cols)
    r, up = _index(stage, kernel, y, "row", kernel.rows)
    row_start = stage.op("Mul", [r, stage.constant("row_length", kernel.cols, np.int32)], "row_start")
    corner = stage.op("Add", [row_start, c], "corner")
    flat = stage.op("Reshape", ["fields", stage.integers("flat_shape", 2, -1)], "fields_flat")
    values = {}
    for name, offset in (("sw", 0), ("se", 1), ("nw", kernel.cols), ("ne", kernel.cols + 1)):
        index = stage.op("Add", [corner, stage.constant(f"offset_{name}", offset, np.int32)], f"index_{name}")
        values[name] = stage.op("Gather", [flat, index], f"value_{name}", axis=1)
    low = _between(stage, values["sw"], values["se"], right, "south")
    high = _between(stage, values["nw"], values["ne"], right, "north")
    both = _between(stage, low, high, up, "sample")
    clearance, guide = stage.split(both, ["clearance_plane", "guide_plane"], 0, "planes")
    return stage.row(clearance, 0, "clearance"), stage.row(guide, 0, "guide")


def _index(stage: Stage, kernel: Mppi, value: str, name: str, size: int) -> tuple[str, str]:
    """The cell before the point, and how far beyond its centre the point is, in cells."""
    cells = stage.op("Div", [value, stage.constant("resolution", kernel.resolution_m)], f"{name}_cells")
    last = stage.constant(f"{name}_last", size - 1 - EDGE)
    inside = stage.op("Clip", [cells, stage.constant("zero", 0.0), last], f"{name}_inside")
    index = stage.op("Cast", [inside], f"{name}_index", to=TensorProto.INT32)
    whole = stage.op("Cast", [index], f"{name}_whole", to=TensorProto.FLOAT)
    return index, stage.op("Sub", [inside, whole], f"{name}_part")


def _between(stage: Stage, low: str, high: str, part: str, name: str) -> str:
    step = stage.op("Sub", [high, low], f"{name}_step")
    return stage.op("Add", [low, stage.op("Mul", [step, part], f"{name}_part")], name)
