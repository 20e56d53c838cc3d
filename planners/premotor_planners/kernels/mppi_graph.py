"""The ONNX graph of the kernel `mppi`, in the order of its reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from premotor_planners.kernels.mppi import Mppi
    from premotor_planners.kernels.onnx_graph import GraphWriter

_EDGE = 1e-3


def write_mppi(kernel: Mppi) -> bytes:
    """Serialized model, checked."""
    from premotor_planners.kernels.onnx_graph import GraphWriter

    graph = GraphWriter(kernel.name)
    pieces = ("state_x", "state_y", "state_yaw", "state_v", "state_w")
    state = dict(zip(pieces, graph.split("state", pieces, axis=0), strict=True))
    start = graph.op("Concat", [state["state_v"], state["state_w"]], "start_flat", axis=0)
    start = graph.op("Reshape", [start, graph.constant("shape_1_2_1", [1, 2, 1], np.int64)], "start")
    controls = _controls(graph, kernel, start)
    x, y = _positions(graph, kernel, controls)
    clearance, guide = _samples(graph, kernel, x, y)
    map_cost = _map_cost(graph, kernel, clearance, guide)
    cost = graph.op("Add", [map_cost, _control_cost(graph, kernel, start, controls)], "cost")
    _average(graph, kernel, cost, controls)
    _free_share(graph, kernel, clearance)
    return graph.finish(kernel.inputs, kernel.outputs)


def _controls(graph: GraphWriter, kernel: Mppi, start: str) -> str:
    """Varied, limited, and limited again in how fast they change; (steps, 2, rollouts)."""
    low, high = (limit[None] for limit in kernel.limits.speeds)
    axes = graph.constant("axes_2", [2], np.int64)
    nominal = graph.op("Unsqueeze", ["nominal", axes], "nominal_column")
    spread = graph.op("Mul", ["noise", graph.constant("deviations", kernel.limits.deviations[None])], "spread")
    raw = graph.op("Add", [nominal, spread], "varied_raw")
    capped = graph.op("Min", [raw, graph.constant("speed_high", high)], "varied_capped")
    wanted = graph.op("Max", [capped, graph.constant("speed_low", low)], "varied")
    most = kernel.limits.accelerations[None] * np.float32(kernel.dt_s)
    up, down = graph.constant("change_high", most), graph.constant("change_low", -most)
    if kernel.steps == 1:
        wants: tuple[str, ...] = (wanted,)
    else:
        wants = graph.split(wanted, [f"want{i}" for i in range(kernel.steps)], axis=0)
    reached, last = [], start
    for i, want in enumerate(wants):
        change = graph.op("Sub", [want, last], f"change{i}")
        change = graph.op("Min", [change, up], f"change{i}_capped")
        change = graph.op("Max", [change, down], f"change{i}_limited")
        last = graph.op("Add", [last, change], f"speed{i}")
        reached.append(last)
    return graph.op("Concat", reached, "controls", axis=0)


def _positions(graph: GraphWriter, kernel: Mppi, controls: str) -> tuple[str, str]:
    v, w = graph.split(controls, ["v_column", "w_column"], axis=1)
    axes = graph.constant("axes_1", [1], np.int64)
    v, w = graph.op("Squeeze", [v, axes], "v"), graph.op("Squeeze", [w, axes], "w")
    steps, dt = kernel.steps, kernel.dt_s
    to_now = graph.constant("sum_to_now", np.tril(np.ones((steps, steps))) * dt)
    to_middle = graph.constant("sum_to_middle", (np.tril(np.ones((steps, steps))) - 0.5 * np.eye(steps)) * dt)
    turned = graph.op("MatMul", [to_middle, w], "turned")
    heading = graph.op("Add", [turned, "state_yaw"], "heading")
    found = []
    for axis, trig in (("x", "Cos"), ("y", "Sin")):
        along = graph.op("Mul", [v, graph.op(trig, [heading], f"heading_{axis}")], f"v_{axis}")
        moved = graph.op("MatMul", [to_now, along], f"moved_{axis}")
        found.append(graph.op("Add", [moved, f"state_{axis}"], axis))
    return found[0], found[1]


def _samples(graph: GraphWriter, kernel: Mppi, x: str, y: str) -> tuple[str, str]:
    """Clearance and guide at every point, each (steps, rollouts)."""
    c, right = _index(graph, kernel, x, "col", kernel.cols)
    r, up = _index(graph, kernel, y, "row", kernel.rows)
    row_start = graph.op("Mul", [r, graph.constant("row_length", kernel.cols, np.int32)], "row_start")
    corner = graph.op("Add", [row_start, c], "corner")
    flat = graph.op("Reshape", ["fields", graph.constant("shape_fields", [2, -1], np.int64)], "fields_flat")
    values = {}
    for name, offset in (("sw", 0), ("se", 1), ("nw", kernel.cols), ("ne", kernel.cols + 1)):
        index = graph.op("Add", [corner, graph.constant(f"offset_{name}", offset, np.int32)], f"index_{name}")
        values[name] = graph.op("Gather", [flat, index], f"value_{name}", axis=1)
    low = _between(graph, values["sw"], values["se"], right, "south")
    high = _between(graph, values["nw"], values["ne"], right, "north")
    both = _between(graph, low, high, up, "sample")
    parts = graph.split(both, ["clearance_plane", "guide_plane"], axis=0)
    axes = graph.constant("axes_0", [0], np.int64)
    return graph.op("Squeeze", [parts[0], axes], "clearance"), graph.op("Squeeze", [parts[1], axes], "guide")


def _index(graph: GraphWriter, kernel: Mppi, value: str, name: str, size: int) -> tuple[str, str]:
    cells = graph.op("Div", [value, graph.constant("resolution", kernel.resolution_m)], f"{name}_cells")
    last = graph.constant(f"{name}_last", size - 1 - _EDGE)
    inside = graph.op("Clip", [cells, graph.constant("zero", 0.0), last], f"{name}_inside")
    index = graph.op("Cast", [inside], f"{name}_index", to=6)
    whole = graph.op("Cast", [index], f"{name}_whole", to=1)
    return index, graph.op("Sub", [inside, whole], f"{name}_part")


def _between(graph: GraphWriter, low: str, high: str, part: str, name: str) -> str:
    step = graph.op("Sub", [high, low], f"{name}_step")
    return graph.op("Add", [low, graph.op("Mul", [step, part], f"{name}_part")], name)


def _map_cost(graph: GraphWriter, kernel: Mppi, clearance: str, guide: str) -> str:
    costs, limits = kernel.costs, kernel.limits
    near = _ramp(graph, clearance, limits.safe_m, limits.safe_m - limits.radius_m, "near")
    squared = graph.op("Mul", [near, near], "near_squared")
    hit = _ramp(graph, clearance, limits.radius_m, costs.hit_ramp_m, "hit")
    weights = np.full((1, kernel.steps), costs.guide * kernel.dt_s)
    weights[0, -1] += costs.terminal
    terms = [
        graph.op("MatMul", [graph.constant("guide_weights", weights), guide], "guide_cost"),
        graph.op("MatMul", [_row(graph, "near_weights", costs.near * kernel.dt_s, kernel.steps), squared], "near_cost"),
        graph.op("MatMul", [_row(graph, "hit_weights", costs.hit * kernel.dt_s, kernel.steps), hit], "hit_cost"),
    ]
    return graph.op("Sum", terms, "map_cost")


def _ramp(graph: GraphWriter, clearance: str, top: float, width: float, name: str) -> str:
    below = graph.op("Sub", [graph.constant(f"{name}_from", top), clearance], f"{name}_below")
    scaled = graph.op("Div", [below, graph.constant(f"{name}_width", width)], f"{name}_scaled")
    return graph.op("Clip", [scaled, graph.constant("zero", 0.0), graph.constant("one", 1.0)], f"{name}_ramp")


def _row(graph: GraphWriter, name: str, value: float, length: int) -> str:
    return graph.constant(name, np.full((1, length), value))


def _control_cost(graph: GraphWriter, kernel: Mppi, start: str, controls: str) -> str:
    steps = kernel.steps
    scale = graph.constant("control_scale", kernel.costs.control * kernel.limits.inverse_deviations.T)
    flat = graph.constant("shape_row", [1, 2 * steps], np.int64)
    pull = graph.op("Reshape", [graph.op("Mul", ["nominal", scale], "nominal_scaled"), flat], "pull")
    table = graph.constant("shape_table", [2 * steps, kernel.rollouts], np.int64)
    importance = graph.op("MatMul", [pull, graph.op("Reshape", ["noise", table], "noise_table")], "importance")
    change = _changes(graph, kernel, start, controls)
    squared = graph.op("Reshape", [graph.op("Mul", [change, change], "change_squared"), table], "change_table")
    weights = graph.constant("change_weights", np.tile(kernel.costs.change_weights, steps)[None])
    return graph.op("Add", [importance, graph.op("MatMul", [weights, squared], "effort")], "control_cost")


def _changes(graph: GraphWriter, kernel: Mppi, start: str, controls: str) -> str:
    shape = graph.constant("shape_start", [1, 2, kernel.rollouts], np.int64)
    spread = graph.op("Expand", [start, shape], "start_row")
    if kernel.steps == 1:
        return graph.op("Sub", [controls, spread], "change")
    first, end = graph.constant("index_0", [0], np.int64), graph.constant("index_end", [kernel.steps - 1], np.int64)
    earlier = graph.op("Slice", [controls, first, end, first], "controls_earlier")
    return graph.op("Sub", [controls, graph.op("Concat", [spread, earlier], "controls_before", axis=0)], "change")


def _average(graph: GraphWriter, kernel: Mppi, cost: str, controls: str) -> None:
    axis_row = graph.constant("axes_1", [1], np.int64)
    scalar = graph.constant("shape_1", [1], np.int64)
    least = graph.op("ReduceMin", [cost], "least", axes=[1], keepdims=1)
    excess = graph.op("Sub", [least, cost], "excess")
    scaled = graph.op("Div", [excess, graph.constant("temperature", kernel.costs.temperature)], "scaled")
    weights = graph.op("Softmax", [scaled], "weights", axis=1)
    column = graph.op("Reshape", [weights, graph.constant("shape_column", [-1, 1], np.int64)], "weights_column")
    mean = graph.op("MatMul", [controls, column], "sequence_column")
    graph.op("Squeeze", [mean, graph.constant("axes_2", [2], np.int64)], "sequence")
    graph.op("Squeeze", [least, axis_row], "best_cost")
    expected = graph.op("MatMul", [cost, column], "expected")
    graph.op("Reshape", [expected, scalar], "expected_cost")


def _free_share(graph: GraphWriter, kernel: Mppi, clearance: str) -> None:
    nearest = graph.op("ReduceMin", [clearance], "nearest", axes=[0], keepdims=1)
    free = graph.op("GreaterOrEqual", [nearest, graph.constant("hit_from", kernel.limits.radius_m)], "free_flags")
    share = graph.op("ReduceMean", [graph.op("Cast", [free], "free_numbers", to=1)], "share", axes=[1], keepdims=0)
    graph.op("Reshape", [share, graph.constant("shape_1", [1], np.int64)], "free_share")
