"""The parts `cost` and `average` of the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from onnx import TensorProto

from premotor_planners.kernels.mppi_stage import Stage

if TYPE_CHECKING:
    from premotor_planners.kernels.mppi import Mppi


def write_cost(stage: Stage, kernel: Mppi, clearance: str, guide: str, measured: str, controls: str) -> str:
    """Each rollout's cost, (1, rollouts)."""
    importance, effort = _importance(stage, kernel), _effort(stage, kernel, measured, controls)
    return stage.op("Sum", [*_map_costs(stage, kernel, clearance, guide), importance, effort], "total")


def _map_costs(stage: Stage, kernel: Mppi, clearance: str, guide: str) -> list[str]:
    costs, steps = kernel.costs, kernel.steps
    near = _ramp(stage, clearance, costs.safe_m, costs.safe_m - costs.radius_m, "near")
    squared = stage.op("Mul", [near, near], "near_squared")
    hit = _ramp(stage, clearance, costs.radius_m, costs.hit_ramp_m, "hit")
    rows = {name: np.full((1, steps), weight * kernel.dt_s) for name, weight in _rates(kernel).items()}
    rows["guide"][0, -1] += costs.terminal
    terms = {"guide": guide, "near": squared, "hit": hit}
    return [
        stage.op("MatMul", [stage.constant(f"{name}_weights", rows[name]), value], f"{name}_cost")
        for name, value in terms.items()
    ]


def _rates(kernel: Mppi) -> dict[str, float]:
    return {"guide": kernel.costs.guide, "near": kernel.costs.near, "hit": kernel.costs.hit}


def _ramp(stage: Stage, clearance: str, top: float, width: float, name: str) -> str:
    below = stage.op("Sub", [stage.constant(f"{name}_from", top), clearance], f"{name}_below")
    scaled = stage.op("Div", [below, stage.constant(f"{name}_width", width)], f"{name}_scaled")
    return stage.op("Clip", [scaled, stage.constant("zero", 0.0), stage.constant("one", 1.0)], f"{name}_ramp")


def _importance(stage: Stage, kernel: Mppi) -> str:
    """MPPI's term nominal / deviation * noise."""
    length = kernel.channels * kernel.steps
    scale = stage.constant("importance_scale", kernel.costs.control * kernel.columns.inverse_deviation.T)
    scaled = stage.op("Mul", ["nominal", scale], "nominal_scaled")
    pull = stage.op("Reshape", [scaled, stage.integers("row_shape", 1, length)], "pull")
    table = stage.op("Reshape", ["noise", stage.integers("table_shape", length, kernel.rollouts)], "noise_table")
    return stage.op("MatMul", [pull, table], "importance_cost")


def _effort(stage: Stage, kernel: Mppi, measured: str, controls: str) -> str:
    """The squared change of what is commanded."""
    change = _changes(stage, kernel, measured, controls)
    squared = stage.op("Mul", [change, change], "change_squared")
    shape = stage.integers("table_shape", kernel.channels * kernel.steps, kernel.rollouts)
    table = stage.op("Reshape", [squared, shape], "change_table")
    weights = stage.constant("change_weights", np.tile(kernel.columns.change_cost[:, 0], kernel.steps)[None])
    return stage.op("MatMul", [weights, table], "effort_cost")


def _changes(stage: Stage, kernel: Mppi, measured: str, controls: str) -> str:
    shape = stage.integers("measured_shape", 1, kernel.channels, kernel.rollouts)
    before = stage.op("Expand", [measured, shape], "measured_row")
    if kernel.steps > 1:
        first, end = stage.integers("first", 0), stage.integers("end", kernel.steps - 1)
        earlier = stage.op("Slice", [controls, first, end, first], "earlier")
        before = stage.op("Concat", [before, earlier], "before", axis=0)
    return stage.op("Sub", [controls, before], "change")


def write_average(stage: Stage, kernel: Mppi, cost: str, controls: str) -> None:
    """The outputs sequence, best_cost and expected_cost."""
    least = stage.op("ReduceMin", [cost], "least", axes=[1], keepdims=1)
    excess = stage.op("Sub", [least, cost], "excess")
    scaled = stage.op("Div", [excess, stage.constant("temperature", kernel.costs.temperature)], "scaled")
    weights = stage.op("Softmax", [scaled], "weights", axis=1)
    column = stage.op("Reshape", [weights, stage.integers("column_shape", -1, 1)], "weights_column")
    mean = stage.op("MatMul", [controls, column], "mean_column")
    stage.result("Squeeze", [mean, stage.integers("axis_2", 2)], "sequence")
    stage.result("Squeeze", [least, stage.integers("axis_1", 1)], "best_cost")
    expected = stage.op("MatMul", [cost, column], "expected")
    stage.result("Reshape", [expected, stage.integers("one_shape", 1)], "expected_cost")


def write_free_share(stage: Stage, kernel: Mppi, clearance: str) -> None:
    """The output free_share."""
    nearest = stage.op("ReduceMin", [clearance], "nearest", axes=[0], keepdims=1)
    flags = stage.op("GreaterOrEqual", [nearest, stage.constant("radius", kernel.costs.radius_m)], "free")
    numbers = stage.op("Cast", [flags], "free_numbers", to=TensorProto.FLOAT)
    share = stage.op("ReduceMean", [numbers], "share", axes=[1], keepdims=0)
    stage.result("Reshape", [share, stage.integers("one_shape", 1)], "free_share")
