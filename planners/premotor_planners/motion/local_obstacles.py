"""Obstacles near the robot, as the costmap has them, in the form that rollouts are scored with."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from premotor_planners.costmap.costmap import Costmap
from premotor_planners.costmap.settings import CostmapSettings
from premotor_planners.costmap.values import NO_INFORMATION
from premotor_planners.costmap.window import CostWindow
from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.tensor import Field
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.motion.footprint import Footprint

_BEYOND_M = 0.15
"""How much farther than the costs' `safe_m` clearance is told apart."""
_SCAN_M = 4.0
"""Farther readings lie beyond the window's corners."""


def costmap_for(
    kernel: Mppi, grid: OccupancyGrid, footprint: Footprint, settings: CostmapSettings | None = None
) -> Costmap:
    """A costmap over `grid` of the size that `kernel` looks at; beyond the map nothing is known but what scans say."""
    size = replace(
        settings or CostmapSettings(),
        rows=kernel.rows, cols=kernel.cols, resolution_m=kernel.resolution_m, track_unknown_space=True,
        inflation_radius_m=kernel.costs.safe_m + _BEYOND_M, obstacle_max_range_m=_SCAN_M,
        raytrace_max_range_m=_SCAN_M, footprint_padding_m=0.0,
    )  # fmt: skip
    return Costmap(footprint, size, grid)


def clearance_of(window: CostWindow) -> Field:
    """Metres from each cell's centre to the nearest lethal cell's square, float32 (rows, cols); 0 in unknown cells.

    Exact but for ties between cells: where two squares are about equally near, at most a fifth of a cell too large.
    """
    metres = _to_square(window.reach_cells)[np.minimum(window.squared_cells, window.reach_cells**2)]
    cleared: Field = metres * np.float32(window.resolution_m)
    cleared[window.costs == NO_INFORMATION] = 0.0
    return cleared


@lru_cache(maxsize=4)
def _to_square(reach: int) -> Field:
    """By the squared distance of centres in cells: the least distance, in cells, from one to the other's square."""
    table = np.sqrt(np.arange(reach**2 + 1, dtype=np.float32))
    for row in range(reach + 1):
        for col in range(row + 1):
            if (squared := row * row + col * col) <= reach**2:
                near = math.hypot(max(row - 0.5, 0.0), max(col - 0.5, 0.0))
                table[squared] = min(float(table[squared]), near)
    return table
