"""The MovingAI maps and scenarios in a folder, and how exact their costs are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from premotor_foundation.errors import UsageError
from premotor_planners.maps.movingai import Scenario, read_map, read_scenarios

_COARSE = {"bg512": 5e-3}
_TOLERANCE = 1e-3
_DIGITS = 6
"""Significant digits that older scenario files give: from 1000 on their costs are rounded by up to 0.005."""


@dataclass(frozen=True, eq=False)
class BenchMap:
    """A map with its queries; `family` is the folder it lies in."""

    name: str
    family: str
    free: NDArray[np.bool_]
    queries: list[Scenario]

    def wrong(self, query: Scenario, cost: float) -> bool:
        """Whether `cost` is not the query's, as exactly as the file tells it."""
        rounding = 0.5 * 10.0 ** (math.floor(math.log10(max(query.cost, 1.0))) + 1 - _DIGITS)
        return abs(cost - query.cost) >= max(_COARSE.get(self.family, _TOLERANCE), rounding * (1 + 1e-6))


def read_movingai(folder: Path, most_queries: int | None = None) -> list[BenchMap]:
    """Every map under `folder`, or its part `movingai`, in order; at most so many queries of each, evenly spaced.

    Raises UsageError where there are none, ConfigError for a file that is not what it should be.
    """
    root = folder / "movingai" if (folder / "movingai").is_dir() else folder
    maps = sorted((root / "maps").glob("*/*.map"))
    if not maps:
        raise UsageError(f"`--data {folder}`: no maps at {root / 'maps'}/*/*.map; name `movingai` or its parent")
    return [_bench_map(path, root, most_queries) for path in maps]


def _bench_map(path: Path, root: Path, most_queries: int | None) -> BenchMap:
    free, family = read_map(path), path.parent.name
    files = sorted((root / "scenarios" / family).glob(f"{path.stem}[.-]*scen"))
    if not files:
        raise UsageError(f"{path} has no scenarios in {root / 'scenarios' / family}; put `{path.name}.scen` there")
    queries = [query for file in files for query in read_scenarios(file, (free.shape[0], free.shape[1]))]
    every = 1 if most_queries is None else max(1, math.ceil(len(queries) / most_queries))
    return BenchMap(path.stem, family, free, queries[::every])
