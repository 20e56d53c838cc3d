from __future__ import annotations

from pathlib import Path

import pytest

from premotor_foundation.native_code.errors import BuildError
from premotor_planners.planning.native.library import planning_library
from premotor_planners.planning.search_map import CellPath, SearchMap
from premotor_runtime.app.bench_path.movingai import legal
from premotor_runtime.app.bench_path.movingai_data import read_movingai

SCENARIOS = 15_940


@pytest.fixture(autouse=True)
def _needs_compiler() -> None:
    try:
        planning_library()
    except BuildError as error:
        pytest.skip(str(error))


def solved(folder: Path, most: int | None) -> int:
    count = 0
    maps = read_movingai(folder, most)
    assert len(maps) == 14
    for each in maps:
        search = SearchMap(each.free)
        for query in each.queries:
            found = search.search(query.start, query.goal)
            assert isinstance(found, CellPath), (each.name, query)
            assert not each.wrong(query, found.cost), (each.name, query, found.cost)
            assert legal(each.free, found.cells, query.start, query.goal), (each.name, query)
            count += 1
    return count


def test_every_tenth_scenario_or_so_is_solved_at_its_optimal_cost(data: Path) -> None:
    assert solved(data, 120) > 1200


@pytest.mark.slow
def test_every_scenario_is_solved_at_its_optimal_cost(data: Path) -> None:
    assert solved(data, None) == SCENARIOS
