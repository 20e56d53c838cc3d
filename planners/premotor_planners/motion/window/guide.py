"""Cost-to-go of the rolling window: metres to the goal from every cell, with no minimum but the goal inside it.

The kernel `cost_to_go` runs once for each of a few radii that obstacles are grown by; the least of its maps counts,
narrower ones with a penalty: so a wide way is taken unless a narrow one is much shorter, and a narrow one where there
is no other. A least of maps without local minima has none itself. A goal beyond the window enters from its rim.
"""

from __future__ import annotations

import math
from ctypes import c_float, c_int, c_void_p
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.cost_to_go import STRAIGHT, CostToGo
from premotor_planners.kernels.native.library import kernel_library, pointer
from premotor_planners.kernels.tensor import Compiled, Field
from premotor_planners.motion.window.tight import TightGuide
from premotor_planners.world.model import Pose

BLOCK = 2
"""A cell of the guide is this many cells of the clearance wide."""


@dataclass(frozen=True)
class GuideParameters:
    """Radii from the widest to the narrowest (the inscribed one), and what ways of each cost more, in metres.

    The last is only looked at where the robot's cell is reached by none of the others. In what no way reaches the guide
    rises `fill` times as fast as on the way.
    """

    radii_m: tuple[float, ...] = (0.34, 0.245, 0.222)
    penalties_m: tuple[float, ...] = (0.0, 0.8, 4.0)
    fill: float = 4.0

    def __post_init__(self) -> None:
        ordered = list(self.radii_m) == sorted(self.radii_m, reverse=True) and self.radii_m[-1:] > (0,)
        if len(self.radii_m) < 2 or not ordered or len(self.penalties_m) != len(self.radii_m):
            raise ValueError(f"{self}: give at least two radii above 0, the widest first, and a penalty for each")
        if list(self.penalties_m) != sorted(self.penalties_m) or self.penalties_m[0] != 0.0:
            raise ValueError(f"penalties_m is {self.penalties_m}; they begin with 0 and do not fall")


class WindowGuide:
    """`run` is `kernel` compiled; it covers the window in cells of twice the clearance's resolution."""

    def __init__(
        self, kernel: CostToGo, run: Compiled, resolution_m: float, parameters: GuideParameters,
        tight: TightGuide | None = None,
    ) -> None:  # fmt: skip
        self._kernel, self._run, self._resolution_m = kernel, run, resolution_m
        self.parameters, self._tight = parameters, tight
        shape = (kernel.rows, kernel.cols)
        levels = len(parameters.radii_m)
        self._reach = kernel.outputs[0].zeros()
        self._penalties = np.array(parameters.penalties_m, np.float32)
        self._all = np.zeros((levels, *shape), np.float32)
        self._guide = np.zeros(shape, np.float32)
        self._combine = kernel_library().function(
            "guide", None, [c_int, c_int, c_int, c_void_p, c_float, c_float, c_void_p, c_float, c_float, c_void_p]
        )
        rows, cols = np.indices(shape)
        rim = (rows == 0) | (cols == 0) | (rows == shape[0] - 1) | (cols == shape[1] - 1)
        self._rim = np.flatnonzero(rim)

    def metres(
        self, clearance: Field, goal: tuple[float, float], robot: Pose, look_closer: bool
    ) -> tuple[Field, float | None]:
        """The guide, shape of the kernel, and a heading where the way begins with a turn on the spot to it.

        `goal` and `robot` are in metres from the window's lower left corner. With `look_closer`, headings are looked at
        where the robot's way leads through cells that the widest radius does not leave free. Where no cell is free, and
        beyond all reach, the guide rises by `fill` times the distance to what is reached; with nothing reached it is
        the same everywhere. The array is used again by the next call. Raises ValueError for a robot outside.
        """
        p, kernel = self.parameters, self._kernel
        halves = np.maximum(clearance[::BLOCK], clearance[1::BLOCK])
        wide = np.maximum(halves[:, ::BLOCK], halves[:, 1::BLOCK])
        here = self._cell(robot[:2])
        if not (0 <= here[0] < kernel.rows and 0 <= here[1] < kernel.cols):
            raise ValueError(f"the robot at {robot[:2]} is outside the window")
        self._all[-1] = 0.0
        for level in range(len(p.radii_m)):
            last = level == len(p.radii_m) - 1
            if not last or not (self._all[:-1, here[0], here[1]] > 0).any():
                self._run_level(level, wide, goal)
        scale = self._resolution_m / STRAIGHT
        most = kernel.limit * scale + p.penalties_m[-1] + 1.0
        self._combine(
            kernel.rows, kernel.cols, len(p.radii_m), pointer(self._all), kernel.limit, scale, pointer(self._penalties),
            p.fill * self._resolution_m, most, pointer(self._guide),
        )  # fmt: skip
        self._guide += np.float32(self._beyond_m(goal))
        heading = None
        if self._tight is not None and look_closer:
            row, col = here
            wide_m = (kernel.limit - float(self._all[0, row, col])) * scale + self._beyond_m(goal)
            if self._all[0, row, col] <= 0 or wide_m > float(self._guide[row, col]) + 1e-3:
                reached = self._all.max(axis=0)
                heading = self._tight.refine(
                    self._guide, reached, clearance, (row, col), robot[2], self._cell(goal)
                )  # fmt: skip
        return self._guide, heading

    def _run_level(self, level: int, wide: Field, goal: tuple[float, float]) -> None:
        free = (wide >= self.parameters.radii_m[level]).astype(np.float32)
        inputs = {"reach": self._seeds(free, goal)[None, None], "free": free[None, None]}
        self._run.run(inputs, {"reach_next": self._reach})
        self._all[level] = self._reach[0, 0]

    def _cell(self, point: tuple[float, float]) -> tuple[int, int]:
        return math.floor(point[1] / self._resolution_m), math.floor(point[0] / self._resolution_m)

    def _seeds(self, free: Field, goal: tuple[float, float]) -> Field:
        """The goal's nearest free cell, or, with the goal outside, the rim's free cells by their distance to it."""
        kernel, seeds = self._kernel, np.zeros_like(free)
        row, col = self._cell(goal)
        if 0 <= row < kernel.rows and 0 <= col < kernel.cols:
            cell = row * kernel.cols + col
            if not free[row, col]:
                around = np.flatnonzero(free)
                cell = int(around[np.argmin(self._away(around, goal))]) if len(around) else -1
            if cell >= 0:
                seeds.flat[cell] = kernel.limit
            return seeds
        cells = self._rim[free.flat[self._rim] > 0]
        if len(cells):
            steps = np.round((self._away(cells, goal) - self._beyond_m(goal)) / self._resolution_m * STRAIGHT)
            seeds.flat[cells] = np.maximum(kernel.limit - steps, 0.0)
        return seeds

    def _beyond_m(self, goal: tuple[float, float]) -> float:
        """How far the goal is from the nearest cell of the rim, 0 for a goal inside."""
        row, col = self._cell(goal)
        inside = 0 <= row < self._kernel.rows and 0 <= col < self._kernel.cols
        return 0.0 if inside else float(self._away(self._rim, goal).min())

    def _away(self, cells: NDArray[np.int64], goal: tuple[float, float]) -> NDArray[np.float64]:
        """Metres from the centres of cells to the goal."""
        rows, cols = np.divmod(cells, self._kernel.cols)
        away: NDArray[np.float64] = np.hypot(
            (cols + 0.5) * self._resolution_m - goal[0], (rows + 0.5) * self._resolution_m - goal[1]
        )
        return away
