"""The inflation layer: costs that fall with the distance to the nearest lethal cell, as Nav2's formula has them."""

from __future__ import annotations

from ctypes import c_int, c_void_p

import numpy as np
from numpy.typing import NDArray

from premotor_planners.costmap.native.library import costmap_library
from premotor_planners.costmap.settings import CostmapSettings
from premotor_planners.costmap.values import FREE_SPACE, INSCRIBED, LETHAL, MOST_INFLATED
from premotor_planners.kernels.native.library import pointer

Costs = NDArray[np.uint8]


def inflation_costs(settings: CostmapSettings, inscribed_m: float) -> Costs:
    """The cost for each squared distance in cells, from 0 to twice the square of the reach plus one.

    LETHAL at 0; INSCRIBED up to `inscribed_m`; then 252 exp(-cost_scaling_factor (d - inscribed_m)), rounded down, up
    to the inflation radius; 0 beyond.
    """
    reach = settings.inflation_cells
    distance = np.sqrt(np.arange(2 * (reach + 1) ** 2 + 1)) * settings.resolution_m
    falling = MOST_INFLATED * np.exp(-settings.cost_scaling_factor * np.maximum(distance - inscribed_m, 0.0))
    costs = np.where(distance <= inscribed_m + 1e-9, INSCRIBED, np.floor(falling))
    costs[distance > settings.inflation_radius_m + 1e-9] = FREE_SPACE
    costs[0] = LETHAL
    return costs.astype(np.uint8)


class InflationLayer:
    """Inflates a window of `inner` cells from costs that reach `margin` cells farther on every side.

    Not to be run from two threads at once. Raises BuildError without a compiler.
    """

    def __init__(self, settings: CostmapSettings, inscribed_m: float) -> None:
        self._inflate = costmap_library().function("costmap_inflate", None, [c_int] * 4 + [c_void_p] * 5)
        self._settings = settings
        self._table = inflation_costs(settings, inscribed_m)
        self._inner = settings.rows, settings.cols
        self.margin = settings.inflation_cells
        size = (settings.rows + 2 * self.margin) * (settings.cols + 2 * self.margin)
        self._scratch = np.zeros(size, np.uint8)

    def apply(self, costs: Costs) -> tuple[Costs, NDArray[np.uint16]]:
        """Costs and squared distances in cells, both of the inner shape; `costs` of the outer one, not mutated.

        A cost is the larger of the given and the inflated one; unknown cells become INSCRIBED near obstacles, and with
        `inflate_unknown` take every inflated cost above 0.
        """
        rows, cols = self._inner
        outer = np.ascontiguousarray(costs, np.uint8)
        if outer.shape != (rows + 2 * self.margin, cols + 2 * self.margin):
            raise ValueError(f"costs of the shape {outer.shape} do not reach {self.margin} cells around {self._inner}")
        out, squared = np.empty(self._inner, np.uint8), np.empty(self._inner, np.uint16)
        self._inflate(
            rows, cols, self.margin, int(self._settings.inflate_unknown), pointer(self._table), pointer(self._scratch),
            pointer(outer), pointer(out), pointer(squared),
        )  # fmt: skip
        return out, squared
