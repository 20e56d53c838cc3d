"""Where on its route a robot is: the leg it drives, the guide to descend, and the heading to have."""

from __future__ import annotations

import math

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.tensor import Field
from premotor_planners.motion.path import descend
from premotor_planners.motion.route import Leg, Route
from premotor_planners.motion.state import RobotState, wrapped
from premotor_planners.motion.tracking import Tracker

_LEG_M = 0.06
"""This near to a leg's end the next one begins."""
_LEG_RAD = 0.12
_CRUISE = (0.6, 0.25)
"""Shares of the greatest speed at which a leg is driven as it was planned."""
_SLOW_MPS, _SLOW_RPS = 0.1, 0.15
"""A change of sense begins once the robot is this slow."""


class Following:
    """One route being driven. Without legs the whole route is one, which may be driven either way."""

    def __init__(self, kernel: Mppi, route: Route, look_ahead_m: float) -> None:
        self.route = route
        self._kernel = kernel
        self._tracker: Tracker | None = None
        self._look_ahead = round(look_ahead_m / route.grid.resolution_m)
        self._left: list[Leg] = list(route.legs)

    @property
    def last_leg(self) -> bool:
        """Whether what is driven now ends at the goal."""
        return len(self._left) <= 1

    @property
    def on_the_spot(self) -> bool:
        """Whether the leg is a turn on the spot, which the planner has found room for."""
        return bool(self._left) and self._left[0].sense == 0

    @property
    def guide(self) -> Field:
        """Metres to go, finite everywhere, on the route's grid."""
        return self._left[0].costs_m if self._left else self.route.guide

    def advance(self, state: RobotState) -> bool:
        """Begin the next leg where one has been driven to its end; whether one was begun."""
        before = len(self._left)
        while not self.last_leg and _driven(self._left[0], state):
            self._left.pop(0)
            self._tracker = None
        return len(self._left) < before

    def tracked(self, state: RobotState) -> tuple[Field, ...]:
        """Sequences that drive along the leg as it was planned, at several speeds; none where there are no legs.

        `state` is in the frame of the map.
        """
        if not self._left or self.on_the_spot:
            return ()
        if self._tracker is None:
            self._tracker = Tracker(self._kernel, self._left[0].path, self._left[0].sense)
        most = self._kernel.motion.channels[0].high
        return tuple(self._tracker.sequence(state, share * most) for share in _CRUISE)

    def left_m(self, state: RobotState) -> float:
        """Metres to go along the route, from the nearest cell of the map."""
        row, col = self.route.grid.cell_of(state.x, state.y)
        rows, cols = self.route.guide.shape
        cell = min(max(row, 0), rows - 1), min(max(col, 0), cols - 1)
        return float(self.route.guide[cell])

    def heading_error(self, state: RobotState) -> float:
        """From the robot's heading to the way a little ahead, or to that of a leg's end if it is a turn."""
        leg = self._left[0] if self._left else None
        if leg is not None and leg.sense == 0:
            return wrapped(leg.end[2] - state.yaw)
        cell = self.route.grid.cell_of(state.x, state.y)
        if not self.route.grid.inside(cell):
            return 0.0
        cells = descend(self.guide, cell, self._look_ahead)
        x, y = self.route.grid.centre_of(cells[-1])
        if len(cells) <= self._look_ahead:
            x, y = (self.route.goal.x, self.route.goal.y) if leg is None else leg.end[:2]
        backwards = math.pi if leg is not None and leg.sense < 0 else 0.0
        return wrapped(math.atan2(y - state.y, x - state.x) + backwards - state.yaw)


def _driven(leg: Leg, state: RobotState) -> bool:
    if leg.sense == 0:
        return abs(wrapped(leg.end[2] - state.yaw)) <= _LEG_RAD and abs(state.w_rps) <= _SLOW_RPS
    near = math.dist(leg.end[:2], (state.x, state.y)) <= _LEG_M
    return near and abs(state.v_mps) <= _SLOW_MPS
