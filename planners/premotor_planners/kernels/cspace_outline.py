"""A convex outline as the cells it touches, for each of a number of headings."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Point = tuple[float, float]
MOST_REACH = 15
"""Cells from the robot's cell to the farthest one touched: a convolution of 31 x 31, which a DLA takes."""
_TOUCH = 1e-9


def outline_cells(
    outline_m: tuple[Point, ...], headings: int, resolution_m: float, margin_m: float
) -> NDArray[np.bool_]:
    """(headings, size, size): the cells less than `margin_m` from, or inside, the outline turned to each heading.

    The robot's centre lies in the middle of the middle cell; rows are y, columns x. A cell counts unless a straight
    line along one of its own or the outline's sides keeps them apart (exact for a margin of 0; at corners a little more
    than the margin is kept). Raises ValueError for an outline, a resolution or a margin that cannot be.
    """
    corners = np.array(outline_m, np.float64).reshape(-1, 2)
    if len(corners) < 3 or not np.isfinite(corners).all() or not resolution_m > 0 or not 0 <= margin_m < math.inf:
        raise ValueError("an outline needs at least 3 finite corners, a resolution above 0 and a margin of at least 0")
    reach = math.ceil((np.hypot(*corners.T).max() + margin_m) / resolution_m - 0.5)
    if reach > MOST_REACH:
        raise ValueError(
            f"the outline reaches {reach} cells far, at most {MOST_REACH} can be; give a coarser resolution"
        )
    turned = [_turned(corners, 2 * math.pi * heading / headings) / resolution_m for heading in range(headings)]
    return np.stack([_touched(shape, reach, margin_m / resolution_m) for shape in turned])


def outline_runs(outlines: NDArray[np.bool_]) -> NDArray[np.int32]:
    """The touched cells as runs along rows: (runs, 4) of heading, dy, first dx, length, ordered by heading."""
    reach = outlines.shape[1] // 2
    edges = np.diff(np.pad(outlines, ((0, 0), (0, 0), (1, 1))).astype(np.int8), axis=2)
    begins, ends = np.argwhere(edges == 1), np.argwhere(edges == -1)
    runs = np.column_stack([begins[:, 0], begins[:, 1] - reach, begins[:, 2] - reach, ends[:, 2] - begins[:, 2]])
    return np.ascontiguousarray(runs, np.int32)


def _turned(corners: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    cos, sin = math.cos(angle), math.sin(angle)
    return np.asarray(corners @ np.array([[cos, sin], [-sin, cos]]))


def _touched(shape: NDArray[np.float64], reach: int, margin: float) -> NDArray[np.bool_]:
    """`shape` in cells. Two convex shapes are apart where their shadows on some side's normal are."""
    offsets = np.arange(-reach, reach + 1, dtype=np.float64)
    cells = np.stack(np.meshgrid(offsets, offsets), axis=-1)  # x, y of each cell's centre
    sides = np.roll(shape, -1, axis=0) - shape
    normals = np.vstack([np.column_stack([sides[:, 1], -sides[:, 0]]), np.eye(2)])
    normals = normals[np.hypot(*normals.T) > 0]
    normals /= np.hypot(*normals.T)[:, None]
    touched = np.ones(cells.shape[:2], np.bool_)
    for normal in normals:
        shadow, half = shape @ normal, 0.5 * np.abs(normal).sum()
        middle = cells @ normal
        gap = np.maximum(middle - half - shadow.max(), shadow.min() - middle - half)
        touched &= gap < margin - _TOUCH
    return touched
