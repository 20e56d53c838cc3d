"""The shortest curves between two poses without obstacles: Dubins, and Reeds and Shepp."""

from __future__ import annotations

import math
from ctypes import byref, c_double, c_int, c_void_p
from dataclasses import dataclass
from typing import Literal

import numpy as np

from premotor_planners.kernels.native.library import pointer
from premotor_planners.se2.native.library import se2_library
from premotor_planners.se2.pieces import Piece
from premotor_planners.world.model import Pose

Motion = Literal["dubins", "reeds_shepp"]
"""Forward only, or forward and backward."""


@dataclass(frozen=True)
class Curve:
    """At most five pieces, and their length in metres."""

    pieces: tuple[Piece, ...]
    length_m: float


def shortest_curve(start: Pose, goal: Pose, radius_m: float, motion: Motion = "reeds_shepp") -> Curve:
    """The shortest curve whose turns have at least `radius_m`.

    Dubins, "On Curves of Minimal Length with a Constraint on Average Curvature" (1957); Reeds and Shepp, "Optimal paths
    for a car that goes both forwards and backwards" (1990). Raises ValueError for a radius or a pose that is none,
    BuildError without a compiler.
    """
    if not 0 < radius_m < math.inf:
        raise ValueError(f"radius_m is {radius_m}; it must be above 0")
    if not all(map(math.isfinite, (*start, *goal))):
        raise ValueError(f"{start} or {goal} is not a pose; its numbers must be finite")
    call = se2_library().function("se2_curve", c_int, [c_int, c_void_p, c_void_p, c_double, c_void_p, c_void_p])
    ends, pieces, length = np.array([*start, *goal], np.float64), np.zeros(10), c_double()
    which = 1 if motion == "reeds_shepp" else 0
    count = call(which, pointer(ends), pointer(ends) + 24, radius_m, pointer(pieces), byref(length))
    found = (Piece(float(pieces[2 * i]), float(pieces[2 * i + 1])) for i in range(count))
    return Curve(tuple(piece for piece in found if piece.length_m), length.value)
