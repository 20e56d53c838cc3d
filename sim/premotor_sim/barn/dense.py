"""Dense worlds by seed: cylinders thrown at random into a walled field while a route stays open.

The route is one along which cells of 5 cm have a clearance of at least the asked half gap and half a cell: between
two such cells, a straight step apart, it is nowhere less than the half gap.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.cost_to_go import STRAIGHT, CostToGo
from premotor_planners.kernels.tensor import Compiled
from premotor_sim.barn.world import GOAL, START, CylinderWorld
from premotor_sim.errors import SimulationError

HALF_GAP_M = 0.25
_RADIUS_M = 0.075
_CELL_M = 0.05
_FIELD = (-4.35, 4.6, -0.15, 9.4)  # x, y of two corners
_COUNTS = (70, 110)
_THROWS = 400
_TIGHT_M = 0.33
"""A world counts as dense where no route has a half gap beyond this."""
_WORLDS_TRIED = 60


class DenseWorlds:
    """`run` is `kernel` compiled; the kernel covers the field with `kernel_shape()` cells."""

    def __init__(self, kernel: CostToGo, run: Compiled) -> None:
        self._kernel, self._run = kernel, run
        rows, cols = np.indices((kernel.rows, kernel.cols))
        self._x = -4.5 + (cols + 0.5) * _CELL_M
        self._y = 2.0 + (rows + 0.5) * _CELL_M
        self._walls = _walls()

    def make(self, seed: int, number: int) -> CylinderWorld:
        """World `number` of a seed; equal arguments give equal worlds. Raises SimulationError where none is found."""
        for attempt in range(_WORLDS_TRIED):
            random = np.random.default_rng([seed, number, attempt])
            cylinders, clearance = self._thrown(random)
            if self.route_m(clearance, _TIGHT_M) is None:
                length = self.route_m(clearance, HALF_GAP_M)
                return CylinderWorld(f"dense-{number}", cylinders, length or math.dist(START[:2], GOAL))
        raise SimulationError(f"seed {seed}, world {number}: no dense world in {_WORLDS_TRIED} tries")

    def route_m(self, clearance: NDArray[np.float64], half_gap_m: float) -> float | None:
        """Metres from start to goal along cells that keep the half gap, None without such a route."""
        kernel = self._kernel
        free = (clearance >= half_gap_m + _CELL_M / 2).astype(np.float32)
        reach = np.zeros_like(free)
        reach[self._cell(GOAL)] = kernel.limit
        out = kernel.outputs[0].zeros()
        self._run.run({"reach": reach[None, None], "free": free[None, None]}, {"reach_next": out})
        found = float(out[0, 0][self._cell(START[:2])])
        return None if found <= 0 else (kernel.limit - found) * _CELL_M / STRAIGHT

    def clearance(self, cylinders: NDArray[np.float64]) -> NDArray[np.float64]:
        """Metres from each cell's centre to the nearest cylinder, at most 1."""
        found = np.ones(self._x.shape)
        for x, y, radius in cylinders:
            np.minimum(found, np.hypot(self._x - x, self._y - y) - radius, out=found)
        return found

    def _thrown(self, random: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        clearance = self.clearance(self._walls)
        wanted, kept = int(random.integers(*_COUNTS)), []
        for x, y in random.uniform(_FIELD[:2], _FIELD[2:], (_THROWS, 2)):
            closer = np.minimum(clearance, np.hypot(self._x - x, self._y - y) - _RADIUS_M)
            if self.route_m(closer, HALF_GAP_M) is not None:
                clearance = closer
                kept.append((x, y, _RADIUS_M))
            if len(kept) == wanted:
                break
        return np.vstack([self._walls, np.array(kept)]), clearance

    def _cell(self, point: tuple[float, ...]) -> tuple[int, int]:
        return math.floor((point[1] - 2.0) / _CELL_M), math.floor((point[0] + 4.5) / _CELL_M)


def dense_kernel() -> CostToGo:
    """A field of 4.5 x 11.5 m."""
    return CostToGo(230, 90, budget=400)


def _walls() -> NDArray[np.float64]:
    """Left, right and behind the start, as BARN's worlds have them."""
    along = np.arange(0.075, 9.6, 0.15)
    across = np.arange(-4.275, -0.1, 0.15)
    sides = [(x, y, _RADIUS_M) for x in (-4.425, -0.075) for y in along]
    return np.array([*sides, *((x, 0.075, _RADIUS_M) for x in across)])
