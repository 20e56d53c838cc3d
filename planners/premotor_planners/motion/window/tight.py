"""Orientation-aware cost-to-go of the middle of the window, for gaps through which a disc fits and an outline may not.

The kernel `heading_cost_to_go` runs over 16 headings; its rim starts from the guide around it. The robot's own way down
it, the next metre of it, becomes the guide: cost-to-go along that way, rising beside it. So backing out of a nook is
downhill, which no map of positions alone could say.
"""

from __future__ import annotations

import math
from ctypes import c_float, c_int, c_void_p

import numpy as np

from premotor_planners.kernels.heading_cost_to_go import HeadingCostToGo
from premotor_planners.kernels.native.library import kernel_library, pointer
from premotor_planners.kernels.tensor import Compiled, Field

_UNITS = 5
"""Of cost a cell."""
_WAY_M = 1.2
"""How much of the way is looked at; what comes after could be nearer as the crow flies, and would be cut short to."""
_ON_THE_SPOT = 2
"""Cells within which a turn counts as one on the spot."""
_STEEP = 3.0
"""How many times faster than along the way the guide rises beside it."""
Pose = tuple[int, int, int]


class TightGuide:
    """`run` is `kernel` compiled; the footprint are discs of `radius_m` at `offsets_m` on the axis.

    `block` cells of clearance (each `resolution_m` wide) are one cell of guide and kernel.
    """

    def __init__(
        self, kernel: HeadingCostToGo, run: Compiled, resolution_m: float, block: int,
        offsets_m: tuple[float, ...], radius_m: float, fill: float,
    ) -> None:  # fmt: skip
        self._kernel, self._run, self._block, self._radius_m, self._fill = kernel, run, block, radius_m, fill
        self._cell_m = resolution_m * block
        self._offsets = np.array(offsets_m, np.float32) / np.float32(resolution_m)
        self._inputs = {tensor.name: tensor.zeros() for tensor in kernel.inputs}
        self._outputs = {tensor.name: tensor.zeros() for tensor in kernel.outputs}
        rim = np.zeros((kernel.rows, kernel.cols), np.bool_)
        rim[[0, -1]] = rim[:, [0, -1]] = True
        self._no_penalty = np.zeros(1, np.float32)
        self._rows, self._cols = (axis.astype(np.float32) for axis in np.indices(rim.shape))
        self._rim, self._least = rim, np.zeros((kernel.rows, kernel.cols), np.float32)
        library = kernel_library()
        sizes = [c_int] * 7
        self._fits = library.function(
            "heading_free", None, [c_void_p, *sizes, c_void_p, c_int, c_float, c_int, c_void_p]
        )
        numbers = [c_int, c_int, c_int, c_void_p, c_float, c_float, c_void_p, c_float, c_float, c_void_p]
        self._continue = library.function("guide", None, numbers)

    def refine(
        self, guide: Field, reached: Field, clearance: Field, at: tuple[int, int], yaw: float, goal: tuple[int, int]
    ) -> float | None:
        """Replace the part of `guide` (metres) around the robot, in cell `at` with heading `yaw`.

        `goal` is the goal's cell, maybe outside. `reached` is above 0 where the guide comes from a way, and not from a
        rise into what no way reaches. Returns the heading to turn to where the way begins with a turn on the spot.
        """
        kernel, (rows, cols) = self._kernel, guide.shape
        row0 = min(max(at[0] - kernel.rows // 2, 0), rows - kernel.rows)
        col0 = min(max(at[1] - kernel.cols // 2, 0), cols - kernel.cols)
        part = (slice(row0, row0 + kernel.rows), slice(col0, col0 + kernel.cols))
        self._fits(
            pointer(clearance), clearance.shape[1], row0 * self._block, col0 * self._block, self._block,
            kernel.headings, kernel.rows, kernel.cols, pointer(self._offsets), len(self._offsets),
            self._radius_m, clearance.shape[0], pointer(self._inputs["free_at"]),
        )  # fmt: skip
        known = reached[part] > 0
        seeds = known & self._rim
        inside = (goal[0] - row0, goal[1] - col0)
        if 0 <= inside[0] < kernel.rows and 0 <= inside[1] < kernel.cols:
            seeds = seeds.copy()
            seeds[inside] = True
        if not seeds.any():
            return None
        low = float(guide[part][seeds].min())
        cost = np.round((guide[part] - low) * (_UNITS / self._cell_m))
        self._inputs["reach"][0] = np.where(seeds, np.maximum(kernel.limit - cost, 0.0), 0.0)
        self._run.run(self._inputs, self._outputs)
        start = self._start((round(yaw / (2 * math.pi) * kernel.headings), at[0] - row0, at[1] - col0))
        if start is None:
            self._write_least(guide[part], low)
            return None
        way = self._way(start)
        self._write_way(guide[part], low, way)
        at_once = [h for h, r, c in way if max(abs(r - start[1]), abs(c - start[2])) <= _ON_THE_SPOT]
        return None if at_once[-1] == start[0] else 2 * math.pi * at_once[-1] / kernel.headings

    def _start(self, pose: Pose) -> Pose | None:
        """The pose, or the best of its neighbours, from which the goal is reached; None without one."""
        kernel, reach = self._kernel, self._outputs["reach_next"][0]
        around = [(dh, dr, dc) for dh in (0, 1, -1) for dr in (0, 1, -1) for dc in (0, 1, -1)]
        found: list[tuple[float, Pose]] = []
        for dh, dr, dc in around:
            h, r, c = (pose[0] + dh) % kernel.headings, pose[1] + dr, pose[2] + dc
            if 0 <= r < kernel.rows and 0 <= c < kernel.cols and reach[h, r, c] > 0:
                found.append((float(reach[h, r, c]) - 20.0 * (abs(dh) + abs(dr) + abs(dc)), (h, r, c)))
        return max(found)[1] if found else None

    def _way(self, pose: Pose) -> list[Pose]:
        """Poses from this one down the cost-to-go, about `_WAY_M` of them."""
        reach = self._outputs["reach_next"][0]
        way, enough = [pose], float(reach[pose]) + _WAY_M / self._cell_m * _UNITS
        while float(reach[way[-1]]) < enough and (after := self._after(way[-1])) is not None:
            way.append(after)
        return way

    def _after(self, pose: Pose) -> Pose | None:
        kernel, reach, (h, r, c) = self._kernel, self._outputs["reach_next"][0], pose
        row, col, cost = kernel.moves[h]
        here, turn = float(reach[pose]), float(kernel.turn)
        for price, (heading, y, x) in (
            (float(cost), (h, r + row, c + col)),
            (turn, ((h + 1) % kernel.headings, r, c)),
            (turn, ((h - 1) % kernel.headings, r, c)),
            (float(cost + kernel.reverse), (h, r - row, c - col)),
        ):
            if 0 <= y < kernel.rows and 0 <= x < kernel.cols and float(reach[heading, y, x]) - price == here:
                return heading, y, x
        return None

    def _write_way(self, part: Field, low: float, way: list[Pose]) -> None:
        kernel, reach = self._kernel, self._outputs["reach_next"][0]
        rows, cols = self._rows, self._cols
        least = np.full(part.shape, np.inf, np.float32)
        for h, r, c in way:
            cost = (kernel.limit - float(reach[h, r, c])) * self._cell_m / _UNITS
            beside = np.hypot(rows - np.float32(r), cols - np.float32(c)) * np.float32(_STEEP * self._cell_m)
            np.minimum(least, beside + np.float32(cost), out=least)
        part[:] = least + np.float32(low)

    def _write_least(self, part: Field, low: float) -> None:
        """The least over all headings, where the robot stands nowhere that the goal is reached from."""
        kernel, scale = self._kernel, self._cell_m / _UNITS
        reach = np.ascontiguousarray(self._outputs["reach_next"][0].max(axis=0))
        most = kernel.limit * scale + 1.0
        self._continue(
            kernel.rows, kernel.cols, 1, pointer(reach), kernel.limit, scale, pointer(self._no_penalty),
            self._fill * self._cell_m, most, pointer(self._least),
        )  # fmt: skip
        part[:] = self._least + np.float32(low if math.isfinite(low) else 0.0)
