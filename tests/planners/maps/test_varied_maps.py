from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.maps.reachable import reachable_from
from premotor_planners.maps.varied import KINDS, OCCUPIED_SHARE, VariedMap, varied_maps


def reachable(each: VariedMap) -> bool:
    grid = OccupancyGrid(np.where(each.free, 0, 100).astype(np.int8), 1.0, (0.0, 0.0))
    return bool(reachable_from(grid, each.goal)[each.start])


def test_the_maps_are_as_many_of_each_kind_all_different_and_the_same_again() -> None:
    maps, again = varied_maps(50, 64), varied_maps(50, 64)
    assert Counter(each.kind for each in maps) == dict.fromkeys(KINDS, 10)
    assert len({(each.free.tobytes(), each.start, each.goal) for each in maps}) == 50
    for one, other in zip(maps, again, strict=True):
        assert one.start == other.start and one.goal == other.goal and (one.free == other.free).all()
        assert one.free.shape == (64, 64) and one.free[one.start] and one.free[one.goal]


@pytest.mark.parametrize("size", [32, 33, 64])
def test_each_kind_is_what_it_says(size: int) -> None:
    by_kind = {kind: [each for each in varied_maps(50, size, 3) if each.kind == kind] for kind in KINDS}
    assert all(each.free.all() for each in by_kind["empty"])
    assert all(reachable(each) for kind in ("maze", "spiral") for each in by_kind[kind])
    assert not any(reachable(each) for each in by_kind["closed"])
    shares = [1.0 - each.free.mean() for each in by_kind["random"]]
    assert abs(np.mean(shares) - OCCUPIED_SHARE) < 0.05


def test_some_ways_are_longer_than_the_budget_of_a_window() -> None:
    kernel = CostToGo()
    spirals = [each for each in varied_maps(40) if each.kind == "spiral"]
    beyond = 0
    for each in spirals[:3]:
        reach = kernel.inputs[0].zeros()
        reach[0, 0][each.goal] = kernel.limit
        out = kernel.reference({"reach": reach, "free": each.free[None, None].astype(np.float32)})
        beyond += out["reach_next"][0, 0][each.start] == 0
    assert beyond == 3


def test_a_size_without_room_for_walls_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 16"):
        varied_maps(5, 15)
