"""The obstacle layer: what scans have marked and cleared, in a window that moves with the robot."""

from __future__ import annotations

import math
from ctypes import c_int, c_void_p

import numpy as np
from numpy.typing import NDArray

from premotor_planners.costmap.native.library import costmap_library
from premotor_planners.costmap.settings import CostmapSettings
from premotor_planners.costmap.static_layer import cropped
from premotor_planners.costmap.values import FREE_SPACE, LETHAL, NO_INFORMATION
from premotor_planners.kernels.native.library import pointer
from premotor_planners.maps.grid import Cell
from premotor_planners.motion.footprint import Footprint
from premotor_planners.motion.scan_points import seen_from
from premotor_planners.motion.state import LaserScan
from premotor_planners.world.model import Pose


class ObstacleLayer:
    """`state` uint8 (rows, cols): LETHAL marked, FREE_SPACE seen through, NO_INFORMATION neither.

    Coordinates are in cells from the window's lower left corner. Raises BuildError without a compiler.
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self._insert = costmap_library().function(
            "costmap_insert_scan", None, [c_int, c_int, c_void_p, c_void_p, c_int, *[c_void_p] * 2]
        )
        self._shape = shape
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.state = np.full(self._shape, NO_INFORMATION, np.uint8)
        self._seen_s = np.zeros(self._shape, np.float64)

    def roll(self, by: Cell) -> None:
        """Move the window by rows and columns; what leaves it is forgotten."""
        if by != (0, 0):
            self.state = cropped(self.state, by, self._shape, NO_INFORMATION)
            self._seen_s = cropped(self._seen_s, by, self._shape, 0.0)

    def insert(self, scan: LaserScan, sensor: Pose, settings: CostmapSettings) -> None:
        """Clear along every ray, then mark where rays end; `sensor` is x, y in cells and the heading.

        REP-117: NaN, -inf and finite readings out of [range_min, range_max] say nothing; +inf clears to the ray limit
        (or range_max where that is less) and marks nothing. A cell in which a ray of this scan ends stays marked.
        """
        ranges = np.ascontiguousarray(scan.ranges_m, np.float32)
        resolution = settings.resolution_m
        numbers = np.array([
            *sensor, scan.angle_min, scan.angle_increment, scan.range_min_m, scan.range_max_m, 1.0 / resolution,
            settings.obstacle_max_range_m, settings.raytrace_max_range_m, scan.stamp_s,
        ], np.float64)  # fmt: skip
        rows, cols = self._shape
        state, seen = pointer(self.state), pointer(self._seen_s)
        self._insert(rows, cols, state, seen, len(ranges), pointer(ranges), pointer(numbers))

    def decay(self, now_s: float, after_s: float) -> None:
        """Forget marks that no scan has confirmed for `after_s`."""
        if after_s < math.inf:
            old = (self.state == LETHAL) & (now_s - self._seen_s > after_s)
            self.state[old] = NO_INFORMATION

    def clear_under(self, footprint: Footprint, robot: Pose, resolution_m: float) -> None:
        """Free the cells whose centres lie under the outline at `robot`, x and y in cells."""
        x, y, yaw = robot
        reach = math.ceil(footprint.reach_m / resolution_m) + 1
        row, col = max(0, math.floor(y) - reach), max(0, math.floor(x) - reach)
        part = self.state[row : math.floor(y) + reach + 1, col : math.floor(x) + reach + 1]
        marked = np.argwhere(part == LETHAL)
        if not len(marked):
            return
        middles = (marked[:, ::-1] + np.array([col, row]) + 0.5) * resolution_m
        inner = seen_from(middles, (x * resolution_m, y * resolution_m, yaw))
        under = footprint.distance(inner) <= 0
        part[tuple(marked[under].T)] = FREE_SPACE

    def onto(self, costs: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The larger of both, where what is known is more than NO_INFORMATION (Nav2's combination by maximum)."""
        one = np.uint8(1)  # wraps, so that NO_INFORMATION becomes the least
        return np.asarray(np.maximum(costs + one, self.state + one) - one, np.uint8)
