"""The robot's outline as any simple polygon: checked, grown about itself, and replaced while running.

Polygons satisfy `motion.footprint.Footprint`, as `Disc` does: gate, costmap and SE(2) planner take either.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from premotor_planners.costmap.errors import FootprintError
from premotor_planners.motion.footprint import Disc, Footprint

Corner = tuple[float, float]
_log = logging.getLogger(__name__)
_SMALLEST_M2 = 1e-6


@dataclass(frozen=True)
class PolygonFootprint:
    """A simple polygon, convex or not, corners in metres in the base frame; use `polygon_footprint` to make one.

    `corners_m` run counter-clockwise, are finite, and no two sides cross or touch.
    """

    corners_m: tuple[Corner, ...]

    @cached_property
    def _sides(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        begin = np.array(self.corners_m, np.float64)
        return begin, np.roll(begin, -1, axis=0) - begin

    @property
    def reach_m(self) -> float:
        """The farthest corner from the base's centre (Nav2's circumscribed radius)."""
        return max(math.hypot(*corner) for corner in self.corners_m)

    @property
    def inscribed_m(self) -> float:
        """How far the nearest side is from the base's centre; 0 where the centre lies outside the outline."""
        return max(0.0, -float(self.distance(np.zeros(2))))

    def distance(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Metres from the outline to points (..., 2) in the base frame, below zero inside; shape (...)."""
        begin, sides = self._sides
        relative = points[..., None, :] - begin
        along = np.clip(np.sum(relative * sides, axis=-1) / np.sum(sides * sides, axis=-1), 0.0, 1.0)
        gaps = relative - along[..., None] * sides
        nearest = np.sqrt(np.sum(gaps * gaps, axis=-1)).min(axis=-1)
        return np.asarray(np.where(self._holds(relative), -nearest, nearest))

    def _holds(self, relative: NDArray[np.float64]) -> NDArray[np.bool_]:
        """The even-odd rule on points relative to each corner."""
        sides = self._sides[1]
        low = relative[..., 1] >= 0
        high = np.roll(low, -1, axis=-1)  # of the side's other end, by the same number as the next side's first
        left = sides[:, 0] * relative[..., 1] - sides[:, 1] * relative[..., 0] > 0
        crossed = (low != high) & (left == (sides[:, 1] > 0))
        return np.asarray(crossed.sum(axis=-1) % 2 == 1)


def polygon_footprint(corners_m: Sequence[Sequence[float]], padding_m: float = 0.0) -> PolygonFootprint:
    """The outline through `corners_m` (either way round; repeated corners count once), grown by `padding_m`.

    Padding moves every side outwards by `padding_m` along its own normal, so the outline grows about itself wherever
    the base's origin lies; a negative one shrinks it. Raises FootprintError for fewer than 3 corners, numbers that are
    not finite, sides that cross or touch, no area, and padding that leaves no such polygon.
    """
    corners = _distinct(corners_m)
    _check_simple(corners, "the footprint")
    if _area(corners) < 0:
        corners = corners[::-1]
    if not math.isfinite(padding_m):
        raise FootprintError(f"the padding is {padding_m}; it must be a finite number of metres")
    if padding_m:
        corners = _grown(corners, padding_m)
    return PolygonFootprint(tuple((float(x), float(y)) for x, y in corners))


def padded(footprint: Footprint, padding_m: float) -> Footprint:
    """A disc or polygon grown by `padding_m`, which may be negative. Raises FootprintError where nothing is left."""
    if not padding_m:
        return footprint
    if isinstance(footprint, Disc):
        if not 0 < footprint.radius_m + padding_m < math.inf:
            raise FootprintError(f"a padding of {padding_m} m leaves nothing of a radius of {footprint.radius_m} m")
        return Disc(footprint.radius_m + padding_m)
    corners = getattr(footprint, "corners_m", None)
    if corners is None:
        raise FootprintError(f"a {type(footprint).__name__} cannot be padded; give a Disc or a polygon")
    return polygon_footprint(corners, padding_m)


def inscribed_radius_m(footprint: Footprint) -> float:
    """The largest disc around the base's centre inside the outline; 0 where the centre lies outside."""
    return max(0.0, -float(footprint.distance(np.zeros(2))))


class CurrentFootprint:
    """The footprint in use; one that is refused leaves it as it was, and is logged once until a good one comes."""

    def __init__(self, footprint: Footprint) -> None:
        self.footprint = footprint
        self._complained = False

    def offer(self, corners_m: Sequence[Sequence[float]], padding_m: float = 0.0) -> bool:
        """Take up a polygon; False, and the old one stays, where it is none. Never raises for bad corners."""
        try:
            self.footprint = polygon_footprint(corners_m, padding_m)
        except FootprintError as error:
            if not self._complained:
                _log.error("footprint refused, the old one stays: %s", error)
            self._complained = True
            return False
        self._complained = False
        return True


def _distinct(corners_m: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    try:
        corners = np.array(corners_m, np.float64)
    except (TypeError, ValueError) as error:
        raise FootprintError(f"the footprint's corners are not pairs of numbers ({error})") from error
    if corners.size == 0:
        corners = corners.reshape(0, 2)
    if corners.ndim != 2 or corners.shape[1] != 2:
        raise FootprintError(f"the footprint has the shape {corners.shape}; give corners as pairs of x and y")
    if not np.isfinite(corners).all():
        raise FootprintError("the footprint has a corner that is not finite; give metres in the base frame")
    kept = np.any(np.abs(corners - np.roll(corners, 1, axis=0)) > 1e-9, axis=1)
    return np.asarray(corners[kept])


def _check_simple(corners: NDArray[np.float64], what: str) -> None:
    if len(corners) < 3:
        raise FootprintError(f"{what} has {len(corners)} different corners; a polygon needs at least 3")
    count = len(corners)
    for i in range(count):
        for j in range(i + 1, count):
            if _touching(corners, i, j):
                raise FootprintError(
                    f"{what} crosses or touches itself at sides {i} and {j}; order the corners around it"
                )
    if abs(_area(corners)) < _SMALLEST_M2:
        raise FootprintError(f"{what} has no area; give the corners of a polygon")


def _touching(corners: NDArray[np.float64], i: int, j: int) -> bool:
    """Whether sides i < j share more than the corner that neighbours share."""
    count = len(corners)
    a, b, c, d = corners[i], corners[(i + 1) % count], corners[j], corners[(j + 1) % count]
    if j == i + 1 or (i == 0 and j == count - 1):
        first, shared, last = (a, b, d) if j == i + 1 else (c, a, b)
        return bool(_cross(shared - first, last - shared) == 0 and (shared - first) @ (last - shared) < 0)
    sides = _cross(b - a, c - a), _cross(b - a, d - a), _cross(d - c, a - c), _cross(d - c, b - c)
    if sides[0] * sides[1] < 0 and sides[2] * sides[3] < 0:
        return True
    ends = ((sides[0], a, b, c), (sides[1], a, b, d), (sides[2], c, d, a), (sides[3], c, d, b))
    return any(side == 0 and _between(*points) for side, *points in ends)


def _between(a: NDArray[np.float64], b: NDArray[np.float64], p: NDArray[np.float64]) -> bool:
    return bool(((np.minimum(a, b) <= p) & (p <= np.maximum(a, b))).all())


def _cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def _area(corners: NDArray[np.float64]) -> float:
    after = np.roll(corners, -1, axis=0)
    return 0.5 * float(np.sum(corners[:, 0] * after[:, 1] - corners[:, 1] * after[:, 0]))


def _grown(corners: NDArray[np.float64], padding_m: float) -> NDArray[np.float64]:
    """Each side moved along its outward normal; corners where neighbouring sides then meet."""
    sides = np.roll(corners, -1, axis=0) - corners
    lengths = np.hypot(*sides.T)
    normals = np.column_stack([sides[:, 1], -sides[:, 0]]) / lengths[:, None]
    before = np.roll(normals, 1, axis=0)
    share = 1.0 + np.sum(normals * before, axis=1)
    if (share < 1e-6).any():
        raise FootprintError("the footprint has a spike that cannot be padded; leave its tip out")
    moved = corners + padding_m * (normals + before) / share[:, None]
    what = f"the footprint, padded by {padding_m} m,"
    _check_simple(moved, what)
    after = np.roll(moved, -1, axis=0) - moved
    if (np.sum(after * sides, axis=1) <= 0).any():
        raise FootprintError(f"{what} is turned inside out; give less padding")
    return np.asarray(moved)
