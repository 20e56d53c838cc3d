"""Whether the robot's true outline fits at a pose: exactly, against the squares of occupied cells."""

from __future__ import annotations

import math
from ctypes import c_double, c_int, c_void_p

import numpy as np
from numpy.typing import NDArray

from premotor_planners.costmap.errors import FootprintError
from premotor_planners.costmap.footprint import inscribed_radius_m, polygon_footprint
from premotor_planners.errors import MapError
from premotor_planners.kernels.cspace import MOST_REACH, CSpace
from premotor_planners.kernels.native.library import pointer
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.motion.footprint import ConvexPolygon, Footprint
from premotor_planners.se2.native.library import se2_library
from premotor_planners.world.model import Pose

HEADINGS = 32
MOST_CORNERS = 64
MOST_CELLS = 900_000


class Room:
    """A map and an outline. Cells other than free ones, and all beyond the map, are occupied.

    `margin_m` is kept free around the outline. Raises FootprintError for an outline that is no polygon, MapError for a
    map that is none or has more than 900000 cells, BuildError without a compiler.
    """

    def __init__(self, grid: OccupancyGrid, footprint: Footprint, margin_m: float) -> None:
        _check(grid)
        self.grid, self.margin_m = grid, margin_m
        self.outline = _polygon(footprint)
        self.reach_m, self.inscribed_m = footprint.reach_m, inscribed_radius_m(footprint)
        self.corners = np.ascontiguousarray(np.array(self.outline) / grid.resolution_m)
        self.occupied = np.ascontiguousarray(grid.occupied, np.uint8)
        self.fits = self._certainly_free(isinstance(footprint, ConvexPolygon) or _is_convex(self.outline))
        arguments = [c_int, c_int, c_void_p, c_int, c_void_p, c_double, c_int, c_void_p]
        self._first_hit = se2_library().function("se2_first_hit", c_int, arguments)

    def is_free(self, pose: Pose, margin_m: float | None = None) -> bool:
        """Whether the outline at a pose, and `margin_m` (default the room's) around it, touches free cells only."""
        return self.first_hit(np.array([pose], np.float64), margin_m) == 1

    def first_hit(self, poses: NDArray[np.float64], margin_m: float | None = None) -> int:
        """The number of the first of `poses` (n, 3) at which the outline is not free; n where it always is."""
        margin = self.margin_m if margin_m is None else margin_m
        cells = np.stack([self.in_cells((float(x), float(y), float(yaw))) for x, y, yaw in poses])
        rows, cols = self.grid.shape
        hit: int = self._first_hit(
            rows, cols, pointer(self.occupied), len(self.corners), pointer(self.corners),
            margin / self.grid.resolution_m, len(cells), pointer(cells),
        )  # fmt: skip
        return hit

    def in_cells(self, pose: Pose) -> NDArray[np.float64]:
        """x, y in cells from the map's corner, and yaw."""
        origin, size = self.grid.origin_m, self.grid.resolution_m
        return np.array([(pose[0] - origin[0]) / size, (pose[1] - origin[1]) / size, pose[2]])

    def _certainly_free(self, convex: bool) -> NDArray[np.uint8]:
        """By the kernel `cspace`, with a margin for anywhere in the cell and any heading up to the next: (headings, …).

        Without headings for an outline that the kernel does not take.
        """
        (rows, cols), size = self.grid.shape, self.grid.resolution_m
        margin = self.margin_m + 0.7072 * size + self.reach_m * math.pi / HEADINGS
        if not convex or min(rows, cols) < 2 or (self.reach_m + margin) / size - 0.5 > MOST_REACH:
            return np.zeros((0, rows, cols), np.uint8)
        kernel = CSpace(rows, cols, HEADINGS, self.outline, margin, size, inflation=0)
        outputs = {tensor.name: tensor.zeros() for tensor in kernel.outputs}
        kernel.native().run({"free": (1 - self.occupied)[None, None].astype(np.float32)}, outputs)
        return np.ascontiguousarray(outputs["free_at"][0], np.uint8)


def _polygon(footprint: Footprint) -> tuple[tuple[float, float], ...]:
    corners = getattr(footprint, "corners_m", None)
    if corners is None:
        raise FootprintError(
            "the SE(2) planner needs a polygon; for a disc, which looks the same at every heading, plan in 2D"
        )
    if len(corners) > MOST_CORNERS:
        raise FootprintError(
            f"the footprint has {len(corners)} corners; at most {MOST_CORNERS} are taken, leave some out"
        )
    return polygon_footprint(corners).corners_m


def _is_convex(corners: tuple[tuple[float, float], ...]) -> bool:
    points = np.array(corners)
    sides = np.roll(points, -1, axis=0) - points
    after = np.roll(sides, -1, axis=0)
    return bool((sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0] >= 0).all())


def _check(grid: OccupancyGrid) -> None:
    if not (0 < grid.resolution_m < math.inf and all(map(math.isfinite, grid.origin_m))):
        raise MapError(
            f"the map has cells of {grid.resolution_m} m and the origin {grid.origin_m}; give finite ones above 0"
        )
    if grid.data.ndim != 2 or not 0 < grid.data.size <= MOST_CELLS:
        raise MapError(f"the map has the shape {grid.data.shape}; give 1 to {MOST_CELLS} cells, such as a window of it")
