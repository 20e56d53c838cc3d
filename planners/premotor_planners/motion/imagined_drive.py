"""A drive along a straight way that is only imagined, to measure what a period of a controller costs."""

from __future__ import annotations

import math

import numpy as np

from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.motion.controller import Controller
from premotor_planners.motion.route import Leg, Route
from premotor_planners.motion.state import Goal, LaserScan, RobotState

_BEAMS = 720
_WALL_M, _UNDER_M, _UNDER_EVERY = 1.0, 0.1, 8
"""Every beam returns: from a wall around, and some from under the robot, whose cells are to be cleared again."""


class ImaginedDrive:
    """Drives `controller`, which takes up its way and is of no other use, at half its speed, with a scan a period."""

    def __init__(self, controller: Controller) -> None:
        self._controller, self._kernel = controller, controller.kernel
        self._channels = self._kernel.motion.channels
        self._begin_m, self._y_m = 0.5 * self._kernel.cols * self._cell_m, 0.5 * self._kernel.rows * self._cell_m
        self._end_m = 3 * self._begin_m
        self._route = self._straight()
        self._stamp_s, self._x_m = 0.0, self._end_m

    @property
    def _cell_m(self) -> float:
        return self._kernel.resolution_m

    def period(self, level: int) -> None:
        """The next one, with the kernel of `level`."""
        v = 0.5 * self._channels[0].high
        self._stamp_s += self._kernel.dt_s
        self._x_m += v * self._kernel.dt_s
        if self._x_m > self._end_m - self._begin_m:
            self._x_m = self._begin_m
            self._controller.follow(self._route)
        state = RobotState(self._x_m, self._y_m, 0.0, v, 0.0, self._stamp_s)
        self._controller.command(state, self._scan(), None, level)

    def _scan(self) -> LaserScan:
        ranges = np.full(_BEAMS, _WALL_M, np.float32)
        ranges[::_UNDER_EVERY] = _UNDER_M
        return LaserScan(self._stamp_s, ranges, angle_increment=2 * math.pi / _BEAMS)

    def _straight(self) -> Route:
        """Through the middle of a free floor; of one leg, where the robot is not round."""
        grid = OccupancyGrid(np.zeros((self._kernel.rows, 2 * self._kernel.cols), np.int8), self._cell_m, (0.0, 0.0))
        rows, cols = (np.arange(count) * self._cell_m for count in grid.shape)
        costs_m = np.hypot(cols[None, :] - self._end_m, rows[:, None] - self._y_m).astype(np.float32)
        path = tuple((float(x), self._y_m) for x in np.arange(self._begin_m, self._end_m, self._cell_m))
        leg = Leg((self._end_m, self._y_m, 0.0), 1, costs_m, path)
        legs = (leg,) if len(self._kernel.body_m) > 1 else ()
        return Route(Goal(self._end_m, self._y_m, 0.0), grid, costs_m, costs_m, path, legs)
