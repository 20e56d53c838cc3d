"""Which cells a plan leads from and to, or why it cannot."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from premotor_planners.costmap.values import LETHAL, NO_INFORMATION
from premotor_planners.maps.grid import Cell
from premotor_planners.maps.supercover import cells_on_line
from premotor_planners.planning.frame import Frame
from premotor_planners.planning.outcome import PlanCancelled, PlanError, PlanFailure
from premotor_planners.planning.search_map import SearchMap, Unfound
from premotor_planners.planning.settings import PlannerSettings
from premotor_planners.planning.stopping import Allowance
from premotor_planners.world.model import Pose


@dataclass(frozen=True)
class Ends:
    """Two free cells; `escapes`: the start's is not the one the robot stands in; `exact`: the goal's is the goal's."""

    start: Cell
    goal: Cell
    escapes: bool
    exact: bool


Refusal = PlanFailure | PlanCancelled


class EndFinder:
    """Looks at both ends on a prepared map."""

    def __init__(self, search: SearchMap, frame: Frame, settings: PlannerSettings) -> None:
        self._search, self._frame, self._settings = search, frame, settings

    def find(self, start: Pose, goal: Pose, tolerance_m: float, allowance: Allowance) -> Ends | Refusal:
        """Outside before occupied, start before goal."""
        cells: list[Cell] = []
        for name, code, pose in (
            ("start", PlanError.START_OUTSIDE_MAP, start),
            ("goal", PlanError.GOAL_OUTSIDE_MAP, goal),
        ):
            if not all(map(math.isfinite, pose)):
                return PlanFailure(code, f"the {name} {at(pose)} is not finite")
            cells.append(self._frame.cell_of(pose[0], pose[1]))
            if not self._frame.inside(cells[-1]):
                return PlanFailure(code, f"the {name} {at(pose)} is outside the map")
        first = cells[0] if self._search.is_free(cells[0]) else self._escape(start, cells[0], allowance)
        if first is None:
            return PlanFailure(PlanError.START_OCCUPIED, f"the start {at(start)} is not free")
        if isinstance(first, (PlanFailure, PlanCancelled)):
            return first
        last = self._goal_cell(first, goal, cells[1], tolerance_m, allowance)
        if isinstance(last, (PlanFailure, PlanCancelled)):
            return last
        return Ends(first, last, first != cells[0], last == cells[1])

    def _goal_cell(
        self, start: Cell, goal: Pose, cell: Cell, tolerance_m: float, allowance: Allowance
    ) -> Cell | Refusal:
        search, point, within = self._search, self._frame.in_cells(goal), tolerance_m / self._frame.resolution_m
        if search.is_free(cell) and search.joined(start, cell):
            return cell
        found = search.nearest(point, within, start, allowance)
        if not isinstance(found, Unfound):
            return found
        if found is not Unfound.NO_WAY:
            return stopped(found, allowance)
        if not search.is_free(cell) and search.nearest(point, within, None, allowance) is Unfound.NO_WAY:
            return PlanFailure(PlanError.GOAL_OCCUPIED, f"no free cell within {tolerance_m:g} m of {at(goal)}")
        return PlanFailure(PlanError.NO_VALID_PATH, f"no way leads to within {tolerance_m:g} m of {at(goal)}")

    def _escape(self, start: Pose, cell: Cell, allowance: Allowance) -> Cell | Refusal | None:
        """The nearest free cell that a straight piece leads to past nothing lethal or unknown but its own cell."""
        reach = self._settings.escape_m / self._frame.resolution_m
        for near in _around(self._frame.in_cells(start), reach):
            if allowance.left_ns == 0:
                return stopped(Unfound.TIMEOUT, allowance)
            if self._search.is_free(near) and self._may_leave(start, cell, near):
                return near
        return None

    def _may_leave(self, start: Pose, cell: Cell, near: Cell) -> bool:
        costs, frame = self._frame.costs, self._frame
        touched = cells_on_line(frame.grid, (start[0], start[1]), frame.centre_of(near))
        return all(frame.inside(c) and (c == cell or costs[c] not in (LETHAL, NO_INFORMATION)) for c in touched)


def stopped(found: Unfound, allowance: Allowance) -> Refusal:
    """What a search that was stopped, or found nothing, means."""
    if found is Unfound.CANCELLED:
        return PlanCancelled()
    if found is Unfound.TIMEOUT:
        return PlanFailure(PlanError.TIMEOUT, f"no way was found within {allowance.budget_s:g} s")
    return PlanFailure(PlanError.NO_VALID_PATH, "no way leads from the start to the goal")


def at(pose: Pose) -> str:
    """A pose for people."""
    return f"({pose[0]:.2f}, {pose[1]:.2f})"


def _around(point: tuple[float, float], reach: float) -> list[Cell]:
    """Cells whose centres are at most `reach` cells from `point`, nearest first, then by row and column."""
    side = math.ceil(reach) + 1
    rows, cols = (math.floor(v) + np.arange(-side, side + 1) for v in (point[1], point[0]))
    squared = (rows[:, None] + 0.5 - point[1]) ** 2 + (cols[None] + 0.5 - point[0]) ** 2
    order = np.argsort(squared, axis=None, kind="stable")
    order = order[squared.ravel()[order] <= reach * reach]
    return [(int(rows[i // len(cols)]), int(cols[i % len(cols)])) for i in order]
