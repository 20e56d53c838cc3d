"""The SE(2) planner: hybrid A* over positions and headings, for outlines that a circle does not stand for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from ctypes import byref, c_int, c_int64, c_void_p
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.native.library import pointer
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.motion.footprint import Footprint
from premotor_planners.planning.framed_pose import FramedPose, in_map
from premotor_planners.planning.outcome import PlanCancelled, PlanError, PlanFailure
from premotor_planners.planning.stopping import Allowance, Cancel
from premotor_planners.se2.native.library import se2_library
from premotor_planners.se2.pieces import Piece, joined, sampled
from premotor_planners.se2.room import Room
from premotor_planners.se2.settings import Se2Settings
from premotor_planners.world.model import Pose

_MOST_PIECES = 20_000
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Se2Plan:
    """A way from start to goal whose every pose, and everything between two, keeps the outline on free cells.

    `poses` (n, 3) x, y, yaw, the last exactly the goal up to rounding; `senses` (n,) 1 forward, -1 backward, 0 on the
    spot, of the piece that leads to each; `length_m` driven; `looked_at` how many poses the search kept.
    """

    poses: NDArray[np.float64]
    senses: NDArray[np.int8]
    pieces: tuple[Piece, ...]
    length_m: float
    looked_at: int


Se2Outcome = Se2Plan | PlanFailure | PlanCancelled


class Se2Planner:
    """Plans on one map for one outline. Not to be used from two threads at once (a `Cancel` may be set from any).

    Raises FootprintError, MapError and BuildError as `Room` does.
    """

    def __init__(self, grid: OccupancyGrid, footprint: Footprint, settings: Se2Settings | None = None) -> None:
        self.settings = settings or Se2Settings()
        self.room = Room(grid, footprint, self.settings.spacing_m / 2)
        arguments = [
            c_int, c_int, c_void_p, c_int, c_void_p, c_int, *[c_void_p] * 2, c_int, c_int, *[c_void_p] * 2, c_int64,
            c_void_p, c_int, *[c_void_p] * 2,
        ]  # fmt: skip
        self._search = se2_library().function("se2_search", c_int, arguments)

    def plan(
        self, start: Pose, goal: Pose, *, budget_s: float | None = None, cancel: Cancel | None = None
    ) -> Se2Outcome:
        """A way between two poses in `map`, or why there is none; equal requests give equal ways.

        Budget and cancel are looked at within 5 ms. The start may touch nothing; the goal must keep the margin too.
        Raises ValueError for a budget below 0.
        """
        allowance = Allowance(self.settings.max_planning_time_s if budget_s is None else budget_s, cancel)
        fault = self._end_fault(start, goal)
        if fault is not None:
            return fault
        if math.dist(start[:2], goal[:2]) < _SAME and abs(math.remainder(goal[2] - start[2], 2 * math.pi)) < _SAME:
            return Se2Plan(np.array([goal]), np.zeros(1, np.int8), (), 0.0, 0)
        count, pieces, looked_at = self._found(start, goal, allowance)
        if count >= 0:
            return self._plan(start, pieces[:count], looked_at)
        return _why(count, allowance)

    def plan_framed(
        self, start: FramedPose, goal: FramedPose, frames: Mapping[str, Pose] | None = None, *,
        budget_s: float | None = None, cancel: Cancel | None = None,
    ) -> Se2Outcome:  # fmt: skip
        """As `plan`, for poses in frames whose poses in `map` are in `frames`; TF_ERROR for another frame."""
        first, last = in_map(start, frames), in_map(goal, frames)
        if isinstance(first, PlanFailure):
            return first
        if isinstance(last, PlanFailure):
            return last
        return self.plan(first, last, budget_s=budget_s, cancel=cancel)

    def _end_fault(self, start: Pose, goal: Pose) -> PlanFailure | None:
        for what, pose, outside, occupied, margin_m in (
            ("start", start, PlanError.START_OUTSIDE_MAP, PlanError.START_OCCUPIED, 0.0),
            ("goal", goal, PlanError.GOAL_OUTSIDE_MAP, PlanError.GOAL_OCCUPIED, None),
        ):
            finite = all(map(math.isfinite, pose))
            if not finite or not self.room.grid.inside(self.room.grid.cell_of(pose[0], pose[1])):
                return PlanFailure(outside, f"the {what} {pose} lies outside the map; give a finite pose inside")
            if not self.room.is_free(pose, margin_m):
                return PlanFailure(occupied, f"the outline at the {what} {pose} touches an obstacle or what is unknown")
        return None

    def _found(self, start: Pose, goal: Pose, allowance: Allowance) -> tuple[int, NDArray[np.float64], int]:
        room, looked_at, pieces = self.room, c_int64(), np.empty((_MOST_PIECES, 3), np.float64)
        first, last, rules = room.in_cells(start), room.in_cells(goal), self._rules()
        rows, cols = room.grid.shape
        count: int = self._search(
            rows, cols, pointer(room.occupied), len(room.fits), pointer(room.fits), len(room.corners),
            pointer(room.corners), pointer(rules), int(self.settings.motion == "reeds_shepp"),
            int(self.settings.turn_in_place), pointer(first), pointer(last), allowance.left_ns, allowance.mark,
            _MOST_PIECES, pointer(pieces), byref(looked_at),
        )  # fmt: skip
        return count, pieces, looked_at.value

    def _rules(self) -> NDArray[np.float64]:
        """As `Rules` in search.cpp, lengths in cells."""
        chosen, room, size = self.settings, self.room, self.room.grid.resolution_m
        return np.array([
            chosen.minimum_turning_radius_m / size, 1.6, chosen.spacing_m / size, room.margin_m / size,
            room.reach_m / size, room.inscribed_m / size, chosen.reverse_penalty, chosen.change_penalty_m / size,
            chosen.turn_penalty_m / size, chosen.eagerness,
        ], np.float64)  # fmt: skip

    def _plan(self, start: Pose, pieces: NDArray[np.float64], looked_at: int) -> Se2Plan:
        size = self.room.grid.resolution_m
        way = joined([Piece(float(k) / size, float(length) * size, float(turn)) for k, length, turn in pieces])
        poses, senses = sampled(start, way, self.settings.spacing_m, self.room.reach_m)
        return Se2Plan(poses, senses, way, sum(abs(piece.length_m) for piece in way), looked_at)


def _why(count: int, allowance: Allowance) -> PlanFailure | PlanCancelled:
    if count == -3:
        return PlanCancelled()
    if count == -2:
        return PlanFailure(PlanError.TIMEOUT, f"no way was found within {allowance.budget_s:g} s")
    return PlanFailure(PlanError.NO_VALID_PATH, "no way along which the outline stays on free cells leads to the goal")
