"""What a global plan is made on: a grid of Nav2's cost values in the frame `map`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from premotor_planners.costmap.values import FREE_SPACE, INSCRIBED, LETHAL, MOST_INFLATED, NO_INFORMATION
from premotor_planners.errors import MapError
from premotor_planners.maps.grid import OCCUPIED, UNKNOWN, OccupancyGrid
from premotor_planners.planning.search_map import UNIT_FACTOR


class Costs(Protocol):
    """Any costmap: `costs` uint8 (rows, cols), row 0 the lowest y; `origin_m` the lower left corner, not turned."""

    @property
    def costs(self) -> NDArray[np.uint8]:
        """Nav2's values."""
        ...

    @property
    def resolution_m(self) -> float:
        """Metres to a cell."""
        ...

    @property
    def origin_m(self) -> tuple[float, float]:
        """x, y."""
        ...


@dataclass(frozen=True, eq=False)
class CostGrid:
    """The plainest costmap. Not mutated."""

    costs: NDArray[np.uint8]
    resolution_m: float
    origin_m: tuple[float, float]

    @classmethod
    def of_occupancy(cls, grid: OccupancyGrid) -> CostGrid:
        """Occupied cells are lethal, unknown ones without information, those between cost 1 to 252 as they are likely.

        Give a grid that is grown by the robot's radius: costs are those of the robot's centre. Raises MapError.
        """
        table = np.full(256, NO_INFORMATION, np.uint8)
        likely = np.arange(OCCUPIED + 1)
        table[likely] = np.where(likely == 0, FREE_SPACE, np.maximum(1, np.rint(likely * MOST_INFLATED / OCCUPIED)))
        table[OCCUPIED], table[UNKNOWN] = LETHAL, NO_INFORMATION
        return cls(table[np.asarray(grid.data).astype(np.uint8)], grid.resolution_m, grid.origin_m)


def check_costs(costs: Costs) -> None:
    """Raise MapError for a grid that is none, a resolution of 0 or less, and numbers that are not finite."""
    values = costs.costs
    if values.dtype != np.uint8 or values.ndim != 2 or 0 in values.shape:
        raise MapError(
            f"costs are {values.dtype} of shape {values.shape}; give uint8 (rows, cols), one of each at least"
        )
    if not 0 < costs.resolution_m < math.inf:
        raise MapError(f"the resolution is {costs.resolution_m} m; it must be above 0")
    if not all(map(math.isfinite, costs.origin_m)):
        raise MapError(f"the origin is {costs.origin_m}; it must be finite")


def passable(costs: NDArray[np.uint8], unknown_is_free: bool) -> NDArray[np.bool_]:
    """Where the robot's centre may be."""
    free = costs < INSCRIBED
    return free | (costs == NO_INFORMATION) if unknown_is_free else free


def factors(costs: NDArray[np.uint8], weight: float) -> NDArray[np.int32]:
    """What a metre costs in each cell, in 1024ths: 1 + weight * cost / 252; unknown cells as the dearest."""
    table = UNIT_FACTOR + np.rint(UNIT_FACTOR * weight * np.minimum(np.arange(256), MOST_INFLATED) / MOST_INFLATED)
    return np.asarray(table.astype(np.int32)[costs])
