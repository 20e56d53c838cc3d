from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.kernels.cost_to_go import MOST_BUDGET, CostToGo
from premotor_planners.kernels.native.astar import AStar


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.0, 0.6))
def test_a_star_finds_what_cost_to_go_finds(needs_compiler: None, seed: int, share: float) -> None:
    random = np.random.default_rng(seed)
    free = random.random((20, 27)) >= share
    free[4, 5] = True
    kernel = CostToGo(20, 27, budget=MOST_BUDGET)
    reach = kernel.inputs[0].zeros()
    reach[0, 0, 4, 5] = kernel.limit
    out = {"reach_next": kernel.outputs[0].zeros()}
    kernel.native().run({"reach": reach, "free": free[None, None].astype(np.float32)}, out)
    search = AStar(free)
    for row, col in random.integers((20, 27), size=(10, 2)):
        cost = search.cost((int(row), int(col)), (4, 5))
        assert out["reach_next"][0, 0, row, col] == (0 if cost is None else kernel.limit - cost)


def test_it_looks_around_from_few_cells_of_an_empty_map_and_from_all_of_a_closed_one(needs_compiler: None) -> None:
    free = np.ones((40, 40), np.bool_)
    search = AStar(free)
    assert search.cost((3, 3), (3, 33)) == 150 and search.expanded < 100
    free[:, 35] = False
    closed = AStar(free)
    assert closed.cost((3, 3), (3, 38)) is None and closed.expanded == 35 * 40
    assert closed.cost((3, 35), (3, 3)) is None


def test_a_cell_outside_is_refused(needs_compiler: None) -> None:
    with pytest.raises(IndexError, match="outside"):
        AStar(np.ones((4, 5), np.bool_)).cost((0, 0), (4, 0))
