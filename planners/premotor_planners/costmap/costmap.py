"""The local costmap: static, obstacle and inflation layers in a window that rolls with the robot."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence

import numpy as np

from premotor_planners.costmap.errors import FootprintError
from premotor_planners.costmap.footprint import CurrentFootprint, inscribed_radius_m, padded
from premotor_planners.costmap.inflation_layer import InflationLayer
from premotor_planners.costmap.obstacle_layer import ObstacleLayer
from premotor_planners.costmap.scan_fault import FARTHEST_M, near_enough, scan_fault
from premotor_planners.costmap.settings import CostmapSettings, ParameterResult, with_parameter
from premotor_planners.costmap.static_layer import StaticLayer, outside_cost
from premotor_planners.costmap.window import CostWindow
from premotor_planners.maps.grid import Cell, OccupancyGrid
from premotor_planners.motion.footprint import Footprint
from premotor_planners.motion.state import LaserScan
from premotor_planners.world.model import Pose

_log = logging.getLogger(__name__)
_JUMP_S = 0.02
"""A clock that goes back by more than this has jumped."""


class Costmap:
    """Costs around the robot from a map, if there is one, and scans. Not for several threads.

    The window's cells lie on the map's lattice, or on the origin's without a map. Raises CostmapError for a map or an
    inflation that cannot be, FootprintError for padding that leaves nothing, BuildError without a compiler.
    """

    def __init__(
        self, footprint: Footprint, settings: CostmapSettings | None = None, static: OccupancyGrid | None = None
    ) -> None:
        self._settings = settings or CostmapSettings()
        self._outline = CurrentFootprint(padded(footprint, self._settings.footprint_padding_m))
        self._now_s = -math.inf
        self._prepare()
        self.set_map(static)

    @property
    def settings(self) -> CostmapSettings:
        """The settings in force."""
        return self._settings

    @property
    def footprint(self) -> Footprint:
        """The outline in force, padded."""
        return self._outline.footprint

    def set_map(self, static: OccupancyGrid | None) -> None:
        """Take up another map, or none; forgets what scans have marked. Raises CostmapError, and then keeps the old."""
        self._static = None if static is None else StaticLayer(static, self._settings)
        self._grid = static
        self._anchor = (0.0, 0.0) if static is None else static.origin_m
        self._obstacles.clear()
        self._corner: Cell | None = None

    def set_footprint(self, corners_m: Sequence[Sequence[float]]) -> bool:
        """Take up a polygon; False, and the old outline stays, where it is none. Never raises for bad corners."""
        taken = self._outline.offer(corners_m, self._settings.footprint_padding_m)
        if taken:
            self._inflation = self._inflation_layer()
        return taken

    def set_parameter(self, name: str, value: object) -> ParameterResult:
        """Change a setting while running; the old ones stay where that cannot be. Never raises for a bad value.

        A change forgets what scans have marked; the next scan marks it again.
        """
        before = self._settings
        result = with_parameter(before, name, value)
        try:
            if result.successful and result.settings != before:
                self._apply(result.settings)
        except FootprintError as error:
            return ParameterResult(before, False, str(error))
        return result

    def clear(self) -> None:
        """Forget what scans have marked and cleared."""
        self._obstacles.clear()

    def update(self, pose: Pose, scan: LaserScan | None, now_s: float) -> CostWindow:
        """Roll to `pose` (in the map's frame), insert the scan, inflate. Never raises for bad data.

        Without a usable pose the window stays where it was; an unusable scan is left out; `ignored` then says why.
        A clock that went back drops everything that scans have marked.
        """
        ignored = self._moved_to(pose, now_s)
        if not ignored and scan is not None:
            ignored = scan_fault(scan, now_s)
            if not ignored:
                self._insert(pose, scan)
        return self._window(pose, ignored)

    def _moved_to(self, pose: Pose, now_s: float) -> str:
        if not math.isfinite(now_s):
            return f"the time {now_s} is not finite"
        if now_s < self._now_s - _JUMP_S:
            self._obstacles.clear()
        self._now_s = now_s
        if not near_enough(pose):
            return f"the pose {pose} is none: its numbers must be finite and within {FARTHEST_M:g} m"
        corner = self._corner_at(pose)
        if self._corner is not None:
            self._obstacles.roll((corner[0] - self._corner[0], corner[1] - self._corner[1]))
        self._corner = corner
        return ""

    def _insert(self, pose: Pose, scan: LaserScan) -> None:
        settings, layer = self._settings, self._obstacles
        layer.insert(scan, self._in_cells(scan.taken_at or pose), settings)
        if settings.footprint_clearing:
            layer.clear_under(self.footprint, self._in_cells(pose), settings.resolution_m)

    def _window(self, pose: Pose, ignored: str) -> CostWindow:
        settings, corner = self._settings, self._corner or (0, 0)
        self._obstacles.decay(self._now_s, settings.obstacle_decay_s)
        shape = self._obstacles.state.shape
        if self._static is None:
            below = np.full(shape, outside_cost(settings), np.uint8)
        else:
            below = self._static.crop(corner, (shape[0], shape[1]))
        costs, squared = self._inflation.apply(self._obstacles.onto(below))
        costs.setflags(write=False)
        squared.setflags(write=False)
        margin, size = self._inflation.margin, settings.resolution_m
        origin = self._anchor[0] + (corner[1] + margin) * size, self._anchor[1] + (corner[0] + margin) * size
        return CostWindow(costs, squared, margin, size, origin, self._now_s, ignored)

    def _corner_at(self, pose: Pose) -> Cell:
        """The lattice's cell in the lower left corner of the layers, which reach a margin beyond the window."""
        size, margin = self._settings.resolution_m, self._inflation.margin
        row = math.floor((pose[1] - self._anchor[1]) / size) - self._settings.rows // 2 - margin
        col = math.floor((pose[0] - self._anchor[0]) / size) - self._settings.cols // 2 - margin
        return row, col

    def _in_cells(self, pose: Pose) -> Pose:
        row, col = self._corner or (0, 0)
        size = self._settings.resolution_m
        return (pose[0] - self._anchor[0]) / size - col, (pose[1] - self._anchor[1]) / size - row, pose[2]

    def _apply(self, settings: CostmapSettings) -> None:
        padding_m = settings.footprint_padding_m - self._settings.footprint_padding_m
        outline = CurrentFootprint(padded(self.footprint, padding_m))
        self._settings, self._outline = settings, outline
        self._prepare()
        self.set_map(self._grid)

    def _prepare(self) -> None:
        settings = self._settings
        self._inflation = self._inflation_layer()
        margin = self._inflation.margin
        self._obstacles = ObstacleLayer((settings.rows + 2 * margin, settings.cols + 2 * margin))

    def _inflation_layer(self) -> InflationLayer:
        inscribed_m, reach_m = inscribed_radius_m(self.footprint), self._settings.inflation_radius_m
        if reach_m < inscribed_m:
            _log.warning(
                "inflation_radius_m %g is below the inscribed radius %.3f: make it larger", reach_m, inscribed_m
            )
        return InflationLayer(self._settings, inscribed_m)
