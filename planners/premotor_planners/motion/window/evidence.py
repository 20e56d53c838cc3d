"""Where obstacles are, from many scans: a rolling window of evidence that outlives noise and forgets what moved away.

Every beam adds to the cell in which it ends and takes from the cells before it (log odds, see Moravec and Elfes, "High
Resolution Maps from Wide Angle Sonar", 1985); both are limited, so that a few scans change what many have said.
"""

from __future__ import annotations

import math
from ctypes import POINTER, Structure, byref, c_double, c_float, c_int32, c_int64, c_void_p
from dataclasses import dataclass

import numpy as np

from premotor_planners.kernels.native.library import kernel_library, pointer
from premotor_planners.kernels.tensor import Field
from premotor_planners.motion.state import LaserScan
from premotor_planners.world.model import Pose


@dataclass(frozen=True)
class EvidenceParameters:
    """Window size, and what a beam says. A cell counts as occupied above `threshold`.

    `inner_m` is taken off the distance to an occupied cell's centre; `reach_m` is where clearance stops counting.
    """

    cells: int = 320
    resolution_m: float = 0.025
    hit: float = 0.9
    miss: float = 0.35
    low: float = -1.5
    high: float = 2.5
    threshold: float = 0.3
    inner_m: float = 0.01
    reach_m: float = 0.6

    def __post_init__(self) -> None:
        if not (self.cells >= 8 and self.cells % 4 == 0 and self.resolution_m > 0 and self.reach_m > self.inner_m >= 0):
            raise ValueError(f"{self}: cells must be a multiple of 4 and at least 8, lengths above 0")
        if not (self.low < self.threshold < self.high and self.hit > 0 and self.miss > 0):
            raise ValueError(f"{self}: low < threshold < high, hit and miss above 0 are needed")

    @property
    def size_m(self) -> float:
        """The window's side."""
        return self.cells * self.resolution_m


class _Window(Structure):
    _fields_ = [("rows", c_int32), ("cols", c_int32), ("row0", c_int64), ("col0", c_int64), ("cells", c_void_p)]


class _Beams(Structure):
    _fields_ = [
        *[(name, c_double) for name in ("x", "y", "angle_min", "increment")],
        ("range_min", c_float), ("range_max", c_float), ("count", c_int32), ("ranges", c_void_p),
    ]  # fmt: skip


class _Weights(Structure):
    _fields_ = [(name, c_float) for name in ("hit", "miss", "low", "high")]


class EvidenceWindow:
    """Centred on the robot in steps of whole blocks of cells. Raises BuildError where there is no compiler."""

    def __init__(self, parameters: EvidenceParameters | None = None) -> None:
        self.parameters = p = parameters or EvidenceParameters()
        library = kernel_library()
        self._update = library.function("evidence_update", None, [POINTER(_Window), POINTER(_Beams), POINTER(_Weights)])
        self._scroll = library.function("evidence_scroll", None, [POINTER(_Window), c_int64, c_int64])
        numbers = [c_float, c_float, c_float, c_float, c_void_p, c_void_p]
        self._distance = library.function("evidence_clearance", None, [POINTER(_Window), *numbers])
        self._weights = _Weights(p.hit, p.miss, p.low, p.high)
        self._cells = np.zeros((p.cells, p.cells), np.float32)
        self._scratch, self._clearance = np.zeros_like(self._cells), np.zeros_like(self._cells)
        self._window = _Window(p.cells, p.cells, 0, 0, pointer(self._cells))

    @property
    def corner(self) -> tuple[int, int]:
        """The lowest cell (row, col) of the window in the endless grid; cell (0, 0) begins at the frame's origin."""
        return int(self._window.row0), int(self._window.col0)

    @property
    def origin_m(self) -> tuple[float, float]:
        """x, y of the window's lower left corner."""
        row, col = self.corner
        return col * self.parameters.resolution_m, row * self.parameters.resolution_m

    def forget(self) -> None:
        """No evidence of anything."""
        self._cells[:] = 0.0

    def centre_on(self, x: float, y: float) -> None:
        """Move the window so that (x, y) lies in its middle block of 4 x 4 cells; new cells have no evidence."""
        p = self.parameters
        block = 4 * p.resolution_m
        row, col = (4 * math.floor(value / block) - p.cells // 2 for value in (y, x))
        if (row, col) != self.corner:
            self._scroll(byref(self._window), row, col)
            self._window.row0, self._window.col0 = row, col

    def take(self, scan: LaserScan, pose: Pose) -> None:
        """Take in a scan made at `pose`. Rules of REP-117: +inf clears to the limit, NaN and -inf say nothing."""
        p, (left, low) = self.parameters, self.origin_m
        ranges = np.ascontiguousarray(scan.ranges_m, np.float32) / np.float32(p.resolution_m)
        beams = _Beams(
            (pose[0] - left) / p.resolution_m, (pose[1] - low) / p.resolution_m, pose[2] + scan.angle_min,
            scan.angle_increment, scan.range_min_m / p.resolution_m, scan.range_max_m / p.resolution_m,
            ranges.size, pointer(ranges),
        )  # fmt: skip
        self._update(byref(self._window), byref(beams), byref(self._weights))

    def clearance(self) -> Field:
        """Metres to the nearest occupied cell, (cells, cells), row 0 lowest; the next call uses the array again."""
        p = self.parameters
        self._distance(
            byref(self._window), p.threshold, p.resolution_m, p.inner_m, p.reach_m,
            pointer(self._scratch), pointer(self._clearance),
        )  # fmt: skip
        return self._clearance
