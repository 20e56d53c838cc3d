"""Ways made of pieces of constant steering."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from premotor_planners.world.model import Pose

Poses = NDArray[np.float64]
"""Shape (n, 3): x, y in metres, yaw."""


@dataclass(frozen=True)
class Piece:
    """An arc of `length_m` (below 0 backwards) with `curvature` (1/m, to the left), or a turn on the spot by `turn`."""

    curvature: float
    length_m: float
    turn: float = 0.0

    @property
    def turned(self) -> float:
        """How much the heading changes."""
        return self.turn + self.length_m * self.curvature

    @property
    def sense(self) -> int:
        """1 forward, -1 backward, 0 on the spot."""
        return 0 if self.length_m == 0 else 1 if self.length_m > 0 else -1


def pose_after(start: Pose, piece: Piece, share: float = 1.0) -> Pose:
    """Where the robot is after a share (0 to 1) of a piece; the heading is not wrapped."""
    x, y, yaw = start
    s, turned = share * piece.length_m, share * piece.turned
    chord = s * float(np.sinc(turned / (2 * math.pi))) if piece.turn == 0 else 0.0
    return x + chord * math.cos(yaw + turned / 2), y + chord * math.sin(yaw + turned / 2), yaw + turned


def sampled(start: Pose, pieces: Sequence[Piece], spacing_m: float, reach_m: float) -> tuple[Poses, NDArray[np.int8]]:
    """Poses so near that no point within `reach_m` of the robot's centre moves more than `spacing_m` between two.

    With each pose the sense of the piece that leads to it (the first pose has that of the first piece). The ends of all
    pieces are among them.
    """
    poses, senses, at = [start], [pieces[0].sense if pieces else 0], start
    for piece in pieces:
        travel = abs(piece.length_m) + reach_m * abs(piece.turned)
        count = max(1, math.ceil(travel / spacing_m))
        poses += [pose_after(at, piece, i / count) for i in range(1, count + 1)]
        senses += [piece.sense] * count
        at = poses[-1]
    return np.array(poses, np.float64), np.array(senses, np.int8)


def joined(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Neighbouring pieces of equal steering and sense as one."""
    out: list[Piece] = []
    for piece in pieces:
        last = out[-1] if out else None
        if last and last.sense == piece.sense and last.curvature == piece.curvature and last.turn * piece.turn >= 0:
            out[-1] = Piece(piece.curvature, last.length_m + piece.length_m, last.turn + piece.turn)
        elif piece.length_m or piece.turn:
            out.append(piece)
    return tuple(out)
