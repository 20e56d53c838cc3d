"""What a controller sees around the robot: clearance and cost-to-go of the rolling window, made anew each period."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.tensor import Field
from premotor_planners.maps.grid import Cell
from premotor_planners.motion.scan_points import Points, seen_from
from premotor_planners.motion.state import Goal, LaserScan, RobotState
from premotor_planners.motion.window.evidence import EvidenceWindow
from premotor_planners.motion.window.guide import BLOCK, WindowGuide

_NEAR_M = 1.2
"""As far as a base that brakes gets, seen from its centre."""
Metres = TypeVar("Metres", float, NDArray[np.float64])


@dataclass(frozen=True, eq=False)
class Seen:
    """`fields` (2, cells, cells): clearance and guide in metres, as the kernel `mppi` takes them; `guide` is coarser.

    `turn_to_rad` is a heading that the way, in a tight place, begins with turning to; there is room for that turn.
    Points are in the frame of the states given; `origin_m` is the window's lower left corner in it.
    """

    fields: Field
    guide: Field
    origin_m: tuple[float, float]
    resolution_m: float
    turn_to_rad: float | None = None

    @property
    def guide_resolution_m(self) -> float:
        """Side of a guide's cell."""
        return BLOCK * self.resolution_m

    def in_window(self, x: Metres, y: Metres) -> tuple[Metres, Metres]:
        """Metres from the centre of cell (0, 0)."""
        half = self.resolution_m / 2
        return x - self.origin_m[0] - half, y - self.origin_m[1] - half

    def clearance_at(self, x: float, y: float) -> float:
        """Clearance in the cell of a point, 0 beyond the window."""
        row, col = (math.floor(part) for part in self._cells(x, y, self.resolution_m))
        inside = 0 <= row < self.fields.shape[1] and 0 <= col < self.fields.shape[2]
        return float(self.fields[0, row, col]) if inside else 0.0

    def guide_cell(self, x: float, y: float) -> Cell | None:
        """The guide's cell of a point, None beyond the window."""
        row, col = (math.floor(part) for part in self._cells(x, y, self.guide_resolution_m))
        return (row, col) if 0 <= row < self.guide.shape[0] and 0 <= col < self.guide.shape[1] else None

    def guide_centre(self, cell: Cell) -> tuple[float, float]:
        """x, y of a guide's cell."""
        size = self.guide_resolution_m
        return self.origin_m[0] + (cell[1] + 0.5) * size, self.origin_m[1] + (cell[0] + 0.5) * size

    def to_go_m(self, x: float, y: float) -> float:
        """The guide at a point, inf beyond the window."""
        cell = self.guide_cell(x, y)
        return math.inf if cell is None else float(self.guide[cell])

    def _cells(self, x: float, y: float, size: float) -> tuple[float, float]:
        return (y - self.origin_m[1]) / size, (x - self.origin_m[0]) / size


class Surroundings:
    """Evidence and guide together. Not for several threads; arrays in `Seen` are used again by the next `seen`."""

    def __init__(self, evidence: EvidenceWindow, guide: WindowGuide) -> None:
        self._evidence, self._guide = evidence, guide
        cells = evidence.parameters.cells
        self._fields = np.zeros((2, cells, cells), np.float32)
        self._seen_from: tuple[float, float] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the fields."""
        return self._fields.shape[1], self._fields.shape[2]

    @property
    def resolution_m(self) -> float:
        """Side of a cell."""
        return self._evidence.parameters.resolution_m

    def forget(self) -> None:
        """No evidence of anything."""
        self._evidence.forget()
        self._seen_from = None

    def take(self, scan: LaserScan, state: RobotState) -> None:
        """Take in a scan, made where it says or at the state's pose."""
        self._evidence.centre_on(state.x, state.y)
        self._evidence.take(scan, scan.taken_at or state.pose)

    def seen(self, state: RobotState, goal: Goal, look_closer: bool = False) -> Seen:
        """Clearance and guide for a robot at the state's pose, which should be near that of the last scan."""
        origin = self._evidence.origin_m
        self._fields[0] = self._evidence.clearance()
        self._seen_from = origin
        robot = (state.x - origin[0], state.y - origin[1], state.yaw)
        target = (goal.x - origin[0], goal.y - origin[1])
        guide, heading = self._guide.metres(self._fields[0], target, robot, look_closer)
        self._fields[1] = np.repeat(np.repeat(guide, BLOCK, axis=0), BLOCK, axis=1)
        return Seen(self._fields, guide, origin, self.resolution_m, heading)

    def remembered(self, state: RobotState, scan: LaserScan) -> Points | None:
        """Occupied cells around the robot, as of the last `seen`, in directions that the scan has no beams for.

        Shape (n, 2), in the frame of the states; None where there are none. What the scan looks at is left to it.
        """
        beyond = 2 * math.pi - len(scan.ranges_m) * abs(scan.angle_increment)
        if self._seen_from is None or beyond <= abs(scan.angle_increment):
            return None
        (left, low), size = self._seen_from, self.resolution_m
        row, col, reach = (round(v / size) for v in (state.y - low, state.x - left, _NEAR_M))
        row0, col0 = max(row - reach, 0), max(col - reach, 0)
        near = self._fields[0, row0 : max(row + reach, 0), col0 : max(col + reach, 0)]
        rows, cols = np.nonzero(near <= 0.0)
        points = np.stack([(cols + col0 + 0.5) * size + left, (rows + row0 + 0.5) * size + low], axis=1)
        inner = seen_from(points, state.pose)
        middle = scan.angle_min + (len(scan.ranges_m) - 1) * scan.angle_increment / 2
        off = np.remainder(np.arctan2(inner[:, 1], inner[:, 0]) - middle + math.pi, 2 * math.pi) - math.pi
        hidden = points[np.abs(off) > math.pi - beyond / 2]
        return hidden if len(hidden) else None
