"""The robot's outline, and how far points are from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Footprint(Protocol):
    """An outline in the base frame."""

    @property
    def reach_m(self) -> float:
        """The farthest point of the outline from the base's centre."""
        ...

    def distance(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Metres from the outline to points (..., 2) in the base frame, below zero inside; shape (...)."""
        ...


@dataclass(frozen=True)
class Disc:
    """A round robot."""

    radius_m: float

    def __post_init__(self) -> None:
        if not 0 < self.radius_m < math.inf:
            raise ValueError(f"radius_m is {self.radius_m}; it must be above 0")

    @property
    def reach_m(self) -> float:
        """The radius."""
        return self.radius_m

    def distance(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """As in `Footprint`."""
        return np.asarray(np.hypot(points[..., 0], points[..., 1]) - self.radius_m)


@dataclass(frozen=True)
class ConvexPolygon:
    """A convex outline, corners counter-clockwise in metres. Raises ValueError for fewer than 3 or another shape."""

    corners_m: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        corners = np.array(self.corners_m, np.float64).reshape(-1, 2)
        if len(corners) < 3 or not np.isfinite(corners).all():
            raise ValueError(f"{len(corners)} corners; a polygon needs at least 3, all finite")
        first = np.roll(corners, -1, axis=0) - corners
        second = np.roll(first, -1, axis=0)
        cross = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
        turns = np.arctan2(cross, np.sum(first * second, axis=1))
        if (cross <= 0).any() or abs(turns.sum() - 2 * math.pi) > 1e-6:
            raise ValueError("the corners must run counter-clockwise around a convex polygon")

    @property
    def reach_m(self) -> float:
        """The farthest corner."""
        return max(math.hypot(*corner) for corner in self.corners_m)

    def distance(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """As in `Footprint`: to the nearest edge, negative inside."""
        corners = np.array(self.corners_m, np.float64)
        edges = np.roll(corners, -1, axis=0) - corners
        relative = points[..., None, :] - corners
        along = np.clip(np.sum(relative * edges, axis=-1) / np.sum(edges * edges, axis=-1), 0.0, 1.0)
        gaps = relative - along[..., None] * edges
        nearest = np.sqrt(np.sum(gaps * gaps, axis=-1)).min(axis=-1)
        left = edges[:, 0] * relative[..., 1] - edges[:, 1] * relative[..., 0]
        return np.asarray(np.where((left > 0).all(axis=-1), -nearest, nearest))


def covering_discs(footprint: Footprint, count: int = 4) -> tuple[tuple[float, ...], float]:
    """Offsets along the base's axis and the radius of equal discs that together cover an outline; one for a disc.

    A polygon is taken as its bounding box, as wide on the left as on the right, cut into `count` pieces of length.
    """
    corners = getattr(footprint, "corners_m", None)
    if corners is None:
        return (0.0,), footprint.reach_m
    x, y = np.array(corners, np.float64).T
    half = float(np.ptp(x)) / (2 * count)
    offsets = tuple(float(x.min()) + (2 * i + 1) * half for i in range(count))
    return offsets, math.hypot(half, float(np.abs(y).max()))
