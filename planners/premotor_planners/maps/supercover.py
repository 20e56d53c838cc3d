"""Which cells a straight line touches: every one of them, corners included."""

from __future__ import annotations

import math
from collections.abc import Iterator

from premotor_planners.maps.grid import Cell, OccupancyGrid

Point = tuple[float, float]
_CORNER = 1e-9


def cells_on_line(grid: OccupancyGrid, start: Point, end: Point) -> Iterator[Cell]:
    """Cells that the closed segment passes through, in order; where it crosses a corner, both cells beside it too.

    Grid traversal as in Amanatides and Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing" (1987), extended to a
    supercover at corners.
    """
    row, col = grid.cell_of(*start)
    last_row, last_col = grid.cell_of(*end)
    step_x, t_x, per_col = _axis(start[0], end[0], grid.origin_m[0], grid.resolution_m, col)
    step_y, t_y, per_row = _axis(start[1], end[1], grid.origin_m[1], grid.resolution_m, row)
    yield row, col
    remaining = abs(last_row - row) + abs(last_col - col)
    while remaining > 0:
        if abs(t_x - t_y) < _CORNER and row != last_row and col != last_col:
            yield row + step_y, col
            yield row, col + step_x
            row, col, remaining = row + step_y, col + step_x, remaining - 2
            t_x, t_y = t_x + per_col, t_y + per_row
        elif (t_x < t_y and col != last_col) or row == last_row:
            col, t_x, remaining = col + step_x, t_x + per_col, remaining - 1
        else:
            row, t_y, remaining = row + step_y, t_y + per_row, remaining - 1
        yield row, col


def _axis(start: float, end: float, origin: float, resolution: float, index: int) -> tuple[int, float, float]:
    """Step direction, the parameter t in [0, 1] of the first border crossing, and t for one whole cell."""
    length = end - start
    if length == 0.0:
        return 0, math.inf, math.inf
    step = 1 if length > 0 else -1
    border = origin + (index + (1 if step > 0 else 0)) * resolution
    return step, (border - start) / length, resolution / abs(length)
