"""Whether a run takes equally long on every map: `cost_to_go` and A* on maps as different as can be."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.native.astar import AStar
from premotor_planners.maps.varied import KINDS, VariedMap, varied_maps
from premotor_runtime.app.bench_path.section import Line, Section
from premotor_runtime.app.bench_path.turns import in_turns, median_ms

MOST_RATIO = 1.15
MAPS = 200
_LEAST_ROUNDS = 31  # the slowest of 200 medians is looked for: of fewer rounds it is one that was interrupted


def constant_time_section(rounds: int, count: int = MAPS) -> Section:
    """The slowest map's median beside the fastest map's, native `cost_to_go` 128 x 128; and A*'s on the same maps."""
    maps = varied_maps(count)
    rounds = max(rounds, _LEAST_ROUNDS)
    field = _spread_of(_field_times(maps, rounds), maps)
    search = _spread_of(_search_times(maps, rounds), maps)
    lines = (
        Line(
            f"cost_to_go, slowest of {count} maps against fastest",
            f"{field['ratio']:.3f}x ({field['fastest_ms']:.2f} to {field['slowest_ms']:.2f} ms)",
            f"<= {MOST_RATIO:g}x",
            field["ratio"] <= MOST_RATIO,
        ),
        Line(
            "A*, slowest map against fastest",
            f"{search['ratio']:.0f}x ({search['fastest_ms']:.3f} to {search['slowest_ms']:.2f} ms)",
        ),
    )
    return Section({"maps": count, "rounds": rounds, "cost_to_go": field, "astar": search, **_reached(maps)}, lines)


def _field_times(maps: Sequence[VariedMap], rounds: int) -> list[float]:
    """Each map is copied to the same place first: where a buffer happens to lie is no property of the map."""
    kernel = CostToGo()
    run = CpuDevice(1, "native").compile(kernel)
    given = {tensor.name: tensor.zeros() for tensor in kernel.inputs}
    out = {"reach_next": kernel.outputs[0].zeros()}
    inputs = [inputs_of(kernel, each) for each in maps]

    def prepare(name: str) -> None:
        for key, values in inputs[int(name)].items():
            given[key][...] = values

    runs = {str(i): partial(run.run, given, out) for i in range(len(maps))}
    return list(median_ms(in_turns(runs, rounds, prepare=prepare)).values())


def _search_times(maps: Sequence[VariedMap], rounds: int) -> list[float]:
    runs = {str(i): partial(AStar(each.free).cost, each.start, each.goal) for i, each in enumerate(maps)}
    return list(median_ms(in_turns(runs, rounds)).values())


def _spread_of(medians: Sequence[float], maps: Sequence[VariedMap]) -> dict[str, Any]:
    slowest, fastest = max(medians), min(medians)
    by_kind = {kind: [ms for ms, each in zip(medians, maps, strict=True) if each.kind == kind] for kind in KINDS}
    return {
        "ratio": slowest / fastest,
        "fastest_ms": fastest,
        "slowest_ms": slowest,
        "kinds_ms": {kind: {"fastest": min(ms), "slowest": max(ms)} for kind, ms in by_kind.items() if ms},
    }


def _reached(maps: Sequence[VariedMap]) -> dict[str, int]:
    """How many starts lie within the budget, and whether every cost of those is A*'s."""
    kernel = CostToGo()
    run = CpuDevice(1, "native").compile(kernel)
    out = {"reach_next": kernel.outputs[0].zeros()}
    reached = beyond = wrong = 0
    for each in maps:
        run.run(inputs_of(kernel, each), out)
        reach, cost = int(out["reach_next"][0, 0][each.start]), AStar(each.free).cost(each.start, each.goal)
        reached += reach > 0
        beyond += reach == 0 and cost is not None
        wrong += reach != (0 if cost is None else max(kernel.limit - cost, 0))
    return {"within_budget": reached, "beyond_budget": beyond, "wrong": wrong}


def inputs_of(kernel: CostToGo, each: VariedMap) -> dict[str, NDArray[Any]]:
    """The first run's inputs for a map of the kernel's size."""
    reach = kernel.inputs[0].zeros()
    reach[0, 0][each.goal] = kernel.limit
    return {"reach": reach, "free": np.ascontiguousarray(each.free[None, None], np.float32)}
