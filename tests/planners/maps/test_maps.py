from __future__ import annotations

import math
from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.maps.distance import distance_to_obstacles, inflate
from premotor_planners.maps.grid import FREE, OCCUPIED, OccupancyGrid
from premotor_planners.maps.rasterize import fill
from premotor_planners.maps.reachable import free_middle, reachable_from
from premotor_planners.maps.supercover import cells_on_line


def grid_of(rows: int, cols: int, origin: tuple[float, float] = (0.0, 0.0), resolution: float = 0.05) -> OccupancyGrid:
    return OccupancyGrid(np.full((rows, cols), FREE, np.int8), resolution, origin)


def random_grid(seed: int, rows: int = 24, cols: int = 30, share: float = 0.1) -> OccupancyGrid:
    random = np.random.default_rng(seed)
    return grid_of(rows, cols, (-0.3, 0.7)).with_data(random.random((rows, cols)) < share)


def test_rows_grow_with_y_and_values_are_nav2s() -> None:
    grid = fill(grid_of(10, 20), [(0.1, 0.05, 0.2, 0.1)])
    assert grid.data.dtype == np.int8 and set(np.unique(grid.data)) == {FREE, OCCUPIED} == {0, 100}
    assert np.argwhere(grid.occupied).tolist() == [[1, 2], [1, 3]]
    assert grid.cell_of(0.11, 0.06) == (1, 2)
    assert grid.centre_of((1, 2)) == pytest.approx((0.125, 0.075))


def test_cells_touched_in_part_are_occupied_and_parts_outside_dropped() -> None:
    grid = fill(grid_of(10, 20), [(0.149, -5.0, 0.151, 0.0501)])
    assert np.argwhere(grid.occupied).tolist() == [[0, 2], [0, 3], [1, 2], [1, 3]]
    assert not fill(grid_of(10, 20), [(-3.0, -3.0, -1.0, -1.0), (5.0, 5.0, 6.0, 6.0)]).occupied.any()


def test_points_that_are_not_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        grid_of(3, 3).cell_of(math.nan, 0.0)


@pytest.mark.parametrize("outside", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_distance_equals_brute_force(seed: int, outside: bool) -> None:
    grid = random_grid(seed, share=0.02 * (seed + 1) if seed else 0.0)
    limit = 0.42
    found = distance_to_obstacles(grid.occupied, 0.05, limit, outside)
    padded = np.pad(grid.occupied, 1, constant_values=outside)
    obstacles = np.argwhere(padded) - 1
    for row in range(grid.shape[0]):
        for col in range(grid.shape[1]):
            gaps = np.maximum(np.abs(obstacles - [row, col]) - 0.5, 0.0)
            best = np.hypot(gaps[:, 0], gaps[:, 1]).min() * 0.05 if len(obstacles) else math.inf
            if grid.occupied[row, col]:
                best = 0.0
            assert found[row, col] == pytest.approx(min(best, limit), abs=1e-5)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.03, 0.4))
def test_a_disc_in_a_free_grown_cell_touches_nothing(seed: int, radius: float) -> None:
    grid = random_grid(seed, share=0.02)
    grown = inflate(grid, radius)
    assert (grown.occupied | ~grid.occupied).all()
    free = np.argwhere(~grown.occupied)
    for row, col in free[:: max(1, len(free) // 20)]:
        gaps = np.maximum(np.abs(np.argwhere(grid.occupied) - [row, col]) - 0.5, 0.0)
        if len(gaps):
            assert np.hypot(gaps[:, 0], gaps[:, 1]).min() * 0.05 >= radius - 1e-5
        edge = min(row, col, grid.shape[0] - 1 - row, grid.shape[1] - 1 - col) + 0.5
        assert edge * 0.05 >= radius - 1e-5


points = st.tuples(st.floats(-0.29, 1.19), st.floats(0.71, 1.89))


@settings(max_examples=300, deadline=None)
@given(points, points)
def test_the_supercover_holds_every_sampled_point(start: tuple[float, float], end: tuple[float, float]) -> None:
    grid = grid_of(24, 30, (-0.3, 0.7))
    cells = list(cells_on_line(grid, start, end))
    assert cells[0] == grid.cell_of(*start) and cells[-1] == grid.cell_of(*end)
    covered = set(cells)
    for share in np.linspace(0.0, 1.0, 400):
        x, y = (start[i] + share * (end[i] - start[i]) for i in (0, 1))
        near = {grid.cell_of(x + dx, y + dy) for dx in (-1e-9, 1e-9) for dy in (-1e-9, 1e-9)}
        assert near & covered


def test_a_line_through_a_corner_touches_both_cells_beside_it() -> None:
    grid = grid_of(4, 4, resolution=1.0)
    assert set(cells_on_line(grid, (0.5, 0.5), (1.5, 1.5))) == {(0, 0), (1, 0), (0, 1), (1, 1)}
    assert list(cells_on_line(grid, (0.5, 0.5), (0.5, 0.5))) == [(0, 0)]


@pytest.mark.parametrize("seed", range(8))
def test_reachable_equals_a_flood_fill(seed: int) -> None:
    grid = random_grid(seed, share=0.35)
    start = tuple(int(i) for i in np.argwhere(~grid.occupied)[0])
    queue, seen = deque([start]), {start}
    while queue:
        row, col = queue.popleft()
        for cell in ((row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)):
            if grid.is_free(cell) and cell not in seen:
                seen.add(cell)
                queue.append(cell)
    found = reachable_from(grid, (start[0], start[1]))
    assert {(int(r), int(c)) for r, c in np.argwhere(found)} == seen


def test_nothing_is_reachable_from_an_obstacle() -> None:
    grid = fill(grid_of(5, 5), [(0.0, 0.0, 0.05, 0.05)])
    assert not reachable_from(grid, (0, 0)).any()
    assert not reachable_from(grid, (-1, 9)).any()


def test_the_free_middle_avoids_a_table() -> None:
    grid = fill(grid_of(40, 40), [(0.8, 0.8, 1.2, 1.2)])
    pose = free_middle(reachable_from(grid, (0, 0)), grid, (0.0, 0.0, 2.0, 2.0))
    assert pose is not None
    assert grid.is_free(grid.cell_of(pose[0], pose[1]))
    assert 0.2 < math.hypot(pose[0] - 1.0, pose[1] - 1.0) < 0.3
    assert free_middle(np.zeros((40, 40), np.bool_), grid, (0.0, 0.0, 2.0, 2.0)) is None
