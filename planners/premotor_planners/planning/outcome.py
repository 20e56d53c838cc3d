"""What a request for a plan ends with: never an exception."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from premotor_planners.maps.grid import Cell
from premotor_planners.world.model import Pose


class PlanError(IntEnum):
    """Why there is no plan; the numbers of nav2_msgs/action/ComputePathToPose."""

    TF_ERROR = 202
    START_OUTSIDE_MAP = 203
    GOAL_OUTSIDE_MAP = 204
    START_OCCUPIED = 205
    GOAL_OCCUPIED = 206
    TIMEOUT = 207
    NO_VALID_PATH = 208


@dataclass(frozen=True)
class PlanFailure:
    """No plan, and a sentence with the reason."""

    code: PlanError
    reason: str


@dataclass(frozen=True)
class PlanCancelled:
    """Nobody wants the plan any more; an action ends CANCELED, which is no error."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A way from the start to the goal, or to the cell within tolerance that stands for it.

    `poses` are the corners of straight pieces, each pose looking along the piece that follows, the last as the goal
    does. `cells` int32 (n, 2) are the rows and columns of the way that was found, before it was straightened, and
    `cost_m` is what it costs: its length in metres, in mode cost_aware weighted by what its cells cost. `goal_cell` is
    the last of them; `exact` whether it is the goal's own. `length_m` is the length of `poses`.
    """

    poses: tuple[Pose, ...]
    cells: NDArray[np.int32]
    cost_m: float
    length_m: float
    goal_cell: Cell
    exact: bool


Outcome = Plan | PlanFailure | PlanCancelled
