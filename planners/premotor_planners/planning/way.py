"""From the cells of a way to its poses."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from premotor_planners.planning.ends import Ends
from premotor_planners.planning.frame import Frame
from premotor_planners.world.model import Pose

_SAME_M = 1e-9
Points = NDArray[np.float64]
Position = tuple[float, float]


def points_of(start: Pose, goal: Pose, ends: Ends, cells: NDArray[np.int32], frame: Frame) -> Points:
    """In columns and rows: the start, every cell's centre, the goal; a cell that stands for an end has its centre only.

    Pieces between neighbours stay in free cells: an end and its cell's centre lie in one cell, and the way is free.
    """
    before = [] if ends.escapes else [frame.in_cells(start)]
    after = [frame.in_cells(goal)] if ends.exact else []
    centres = (cells[:, ::-1] + 0.5).tolist()
    if len(centres) == 1 and before and after:  # a straight piece between two points of one cell does not leave it
        centres = []
    return np.array([*before, *centres, *after], np.float64)


def poses_of(start: Pose, goal: Pose, ends: Ends, points: Points, frame: Frame) -> tuple[Pose, ...]:
    """In metres, the start as given first; each looks along the piece that follows it, the last as the goal does."""
    metres = [(x, y) for x, y in (points * frame.resolution_m + frame.origin_m).tolist()]
    metres = [(start[0], start[1]), *metres[0 if ends.escapes else 1 :]]
    if ends.exact:
        metres = [*metres[:-1], (goal[0], goal[1])] if len(metres) > 1 else metres
    kept = _distinct(metres)
    yaws = [math.atan2(b[1] - a[1], b[0] - a[0]) for a, b in pairwise(kept)]
    return tuple((x, y, yaw) for (x, y), yaw in zip(kept, [*yaws, goal[2]], strict=True))


def _distinct(points: list[Position]) -> list[Position]:
    """Without those between that lie where another does; the ends stay to the last bit, one where they are equal."""
    first, last, kept = points[0], points[-1], points[:1]
    for point in points[1:-1]:
        if min(math.dist(kept[-1], point), math.dist(point, last)) > _SAME_M:
            kept.append(point)
    return kept if first == last and len(kept) == 1 else [*kept, last]


def length_m(poses: tuple[Pose, ...]) -> float:
    """Of the straight pieces between them."""
    return float(sum(math.dist(a[:2], b[:2]) for a, b in pairwise(poses)))
