"""From noise to positions: the parts `start`, `controls` and `motion` of the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from premotor_planners.kernels.mppi_motion import WrittenSpeeds
from premotor_planners.kernels.mppi_stage import Stage

if TYPE_CHECKING:
    from premotor_planners.kernels.mppi import Mppi


class Pose(NamedTuple):
    """Names of three values of shape (1,)."""

    x: str
    y: str
    yaw: str


def write_start(stage: Stage, kernel: Mppi) -> tuple[Pose, str]:
    """The pose, and the measured values of the channels as (1, channels, 1)."""
    names = [channel.name for channel in kernel.motion.channels]
    x, y, yaw, *values = stage.split("state", ["x", "y", "yaw", *names], 0, "state_split")
    flat = stage.op("Concat", values, "measured_flat", axis=0)
    shape = stage.integers("measured_shape", 1, kernel.channels, 1)
    return Pose(x, y, yaw), stage.op("Reshape", [flat, shape], "measured")


def write_controls(stage: Stage, kernel: Mppi, measured: str) -> str:
    """Varied, limited, and limited again in how fast they change; (steps, channels, rollouts)."""
    wanted = _wanted(stage, kernel)
    most = kernel.columns.rate[None] * np.float32(kernel.dt_s)
    up, down = stage.constant("change_high", most), stage.constant("change_low", -most)
    steps = [wanted]
    if kernel.steps > 1:
        steps = list(stage.split(wanted, [f"step{i}_wanted" for i in range(kernel.steps)], 0, "steps"))
    reached, last = [], measured
    for i, want in enumerate(steps):
        change = stage.op("Sub", [want, last], f"step{i}_change")
        capped = stage.op("Min", [change, up], f"step{i}_capped")
        limited = stage.op("Max", [capped, down], f"step{i}_limited")
        last = stage.op("Add", [last, limited], f"step{i}_reached")
        reached.append(last)
    return stage.op("Concat", reached, "reached", axis=0)


def _wanted(stage: Stage, kernel: Mppi) -> str:
    c = kernel.columns
    nominal = stage.op("Unsqueeze", ["nominal", stage.integers("axis_2", 2)], "nominal_column")
    spread = stage.op("Mul", ["noise", stage.constant("deviation", c.deviation[None])], "spread")
    raw = stage.op("Add", [nominal, spread], "varied")
    capped = stage.op("Min", [raw, stage.constant("high", c.high[None])], "below_high")
    return stage.op("Max", [capped, stage.constant("low", c.low[None])], "wanted")


def write_positions(stage: Stage, kernel: Mppi, pose: Pose, controls: str) -> tuple[str, str]:
    """x and y after each step, each (steps, rollouts)."""
    names = [channel.name for channel in kernel.motion.channels]
    parts = stage.split(controls, [f"{name}_column" for name in names], 1, "channels")
    speeds = kernel.motion.write(stage, [stage.row(part, 1, name) for part, name in zip(parts, names, strict=True)])
    ones = np.tril(np.ones((kernel.steps, kernel.steps)))
    to_middle = stage.constant("sum_to_middle", (ones - 0.5 * np.eye(kernel.steps)) * kernel.dt_s)
    turned = stage.op("MatMul", [to_middle, speeds.turn], "turned")
    heading = stage.op("Add", [turned, pose.yaw], "heading")
    to_now = stage.constant("sum_to_now", ones * kernel.dt_s)
    found = []
    for axis, start, rate in zip("xy", (pose.x, pose.y), _rates(stage, speeds, heading), strict=True):
        moved = stage.op("MatMul", [to_now, rate], f"moved_{axis}")
        found.append(stage.op("Add", [moved, start], axis))
    return found[0], found[1]


def write_body(stage: Stage, kernel: Mppi, pose: Pose, controls: str, x: str, y: str) -> list[tuple[str, str]]:
    """Positions of the footprint's discs after each step; of the pose itself where the footprint is one disc."""
    if kernel.body_m == (0.0,):
        return [(x, y)]
    names = [channel.name for channel in kernel.motion.channels]
    parts = stage.split(controls, [f"{name}_body_column" for name in names], 1, "body_channels")
    rows = [stage.row(part, 1, f"{name}_body") for part, name in zip(parts, names, strict=True)]
    to_now = stage.constant("body_sum_to_now", np.tril(np.ones((kernel.steps, kernel.steps))) * kernel.dt_s)
    turned = stage.op("MatMul", [to_now, kernel.motion.write(stage.inner("body"), rows).turn], "body_turned")
    heading = stage.op("Add", [turned, pose.yaw], "body_heading")
    ahead, across = stage.op("Cos", [heading], "body_cos"), stage.op("Sin", [heading], "body_sin")
    found = []
    for i, offset in enumerate(kernel.body_m):
        metres = stage.constant(f"disc{i}", offset)
        sides = (("x", ahead), ("y", across))
        moved = [stage.op("Mul", [side, metres], f"disc{i}_{axis}_part") for axis, side in sides]
        ends = [
            stage.op("Add", [at, part], f"disc{i}_{axis}") for axis, at, part in zip("xy", (x, y), moved, strict=True)
        ]
        found.append((ends[0], ends[1]))
    return found


def _rates(stage: Stage, speeds: WrittenSpeeds, heading: str) -> tuple[str, str]:
    """Speeds along x and y."""
    cosine, sine = stage.op("Cos", [heading], "heading_cos"), stage.op("Sin", [heading], "heading_sin")
    x = stage.op("Mul", [speeds.forward, cosine], "forward_x")
    y = stage.op("Mul", [speeds.forward, sine], "forward_y")
    if speeds.lateral is None:
        return x, y
    x = stage.op("Sub", [x, stage.op("Mul", [speeds.lateral, sine], "lateral_x")], "speed_x")
    return x, stage.op("Add", [y, stage.op("Mul", [speeds.lateral, cosine], "lateral_y")], "speed_y")
