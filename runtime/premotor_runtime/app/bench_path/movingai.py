"""Global planning on MovingAI's maps: every query's cost and path judged, in turns with nano-astar, maps prepared."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_planners.planning.native.library import planning_library
from premotor_planners.planning.search_map import CellPath, SearchMap
from premotor_runtime.app.bench_path.movingai_data import BenchMap, read_movingai
from premotor_runtime.app.bench_path.movingai_lines import lines_of, percentiles
from premotor_runtime.app.bench_path.nano_astar_peer import NAME, NanoAStarPeer, Timed
from premotor_runtime.app.bench_path.section import Section
from premotor_runtime.bench.errors import WorkerFailed

Measured = tuple[dict[str, Any], list[float], list[float]]
_BLOCK = 64
"""Queries of one side before the other's turn."""


def movingai_section(rounds: int, folder: Path, most_queries: int | None = None) -> Section:
    """Each query once on each side; preparing and the first query after it `rounds` times. Raises BuildError."""
    maps = read_movingai(folder, most_queries)
    planning_library()
    gc.collect()
    gc.freeze()  # as the control loop does: no query pays for what was made before it
    absent: tuple[str, ...] = ()
    with ExitStack() as stack:
        peer: NanoAStarPeer | None = None
        try:
            peer = stack.enter_context(NanoAStarPeer())
        except WorkerFailed as error:
            absent = (f"{NAME}: {error}",)
        measured = [_measured(each, peer, rounds) for each in maps]
    figures: dict[str, Any] = {"maps": [entry for entry, _, _ in measured]}
    ours = [ms for _, times, _ in measured for ms in times]
    theirs = [ms for _, _, times in measured for ms in times]
    figures["pooled"] = {"queries": len(ours), "ms": percentiles(ours)}
    if theirs:
        figures["pooled"]["peers"] = {NAME: {"ms": percentiles(theirs)}}
    return Section(figures, lines_of(figures, NAME), absent)


def _measured(each: BenchMap, peer: NanoAStarPeer | None, rounds: int) -> Measured:
    """The map's entry, and the milliseconds of every query of both sides."""
    prepare_ms, cold_ms = _cold(each, rounds)
    search, ours, theirs = SearchMap(each.free), list[tuple[float, Any]](), list[Timed]()
    first = each.queries[:1]
    _solved(search, first[0].start, first[0].goal)
    peer_cold = None
    if peer is not None:
        peer.load(each.free)
        peer_cold = peer.solve(first)[0][0] * 1e3
    for at in range(0, len(each.queries), _BLOCK):
        block = each.queries[at : at + _BLOCK]
        ours += [_solved(search, query.start, query.goal) for query in block]
        theirs += [] if peer is None else peer.solve(block)
    our_ms, their_ms = [t * 1e3 for t, _ in ours], [t * 1e3 for t, _ in theirs]
    entry = _judged(each, [found for _, found in ours]) | {
        "ms": percentiles(our_ms), "prepare_ms": prepare_ms, "cold_ms": cold_ms, "peers": {},
    }  # fmt: skip
    if theirs:
        entry["peers"][NAME] = _peer_entry(each, [found for _, found in ours], theirs) | {"cold_ms": peer_cold}
    return entry, our_ms, their_ms


def _cold(each: BenchMap, rounds: int) -> tuple[float, float]:
    """Milliseconds to prepare, and to prepare and answer the first query; medians."""
    prepared, answered = [], []
    query = each.queries[0]
    for _ in range(rounds):
        began = time.perf_counter()
        search = SearchMap(each.free)
        ready = time.perf_counter()
        search.search(query.start, query.goal)
        prepared.append(ready - began)
        answered.append(time.perf_counter() - began)
    return median(prepared) * 1e3, median(answered) * 1e3


def _solved(search: SearchMap, start: tuple[int, int], goal: tuple[int, int]) -> tuple[float, Any]:
    began = time.perf_counter()
    found = search.search(start, goal)
    return time.perf_counter() - began, found


def _judged(each: BenchMap, found: Sequence[Any]) -> dict[str, Any]:
    """`solved`: a way between the query's cells, legal cell by cell."""
    solved = [
        isinstance(way, CellPath) and legal(each.free, way.cells, query.start, query.goal)
        for way, query in zip(found, each.queries, strict=True)
    ]
    pairs = [(way, query) for way, query in zip(found, each.queries, strict=True) if isinstance(way, CellPath)]
    errors = [abs(way.cost - query.cost) for way, query in pairs]
    return {
        "name": each.name,
        "family": each.family,
        "rows": each.free.shape[0],
        "cols": each.free.shape[1],
        "queries": len(each.queries),
        "solved": sum(solved),
        "wrong_cost": sum(each.wrong(query, way.cost) for way, query in pairs),
        "max_abs_error": max(errors, default=0.0),
    }


def _peer_entry(each: BenchMap, ours: Sequence[Any], theirs: Sequence[Timed]) -> dict[str, Any]:
    """`max_difference` to our costs: closer than what the rounded costs in the files can tell."""
    costs = [(query, cost) for query, (_, cost) in zip(each.queries, theirs, strict=True)]
    both = [(way.cost, cost) for way, (_, cost) in zip(ours, theirs, strict=True) if isinstance(way, CellPath)]
    return {
        "ms": percentiles([seconds * 1e3 for seconds, _ in theirs]),
        "wrong_cost": sum(cost is None or each.wrong(query, cost) for query, cost in costs),
        "max_difference": max((abs(a - b) for a, b in both if b is not None), default=0.0),
    }


def legal(free: NDArray[np.bool_], cells: NDArray[np.int32], start: tuple[int, int], goal: tuple[int, int]) -> bool:
    """Whether the cells lead from start to goal by steps to neighbours, all free, no corner cut."""
    if tuple(cells[0]) != start or tuple(cells[-1]) != goal:
        return False
    (rows, cols), (a, b) = cells.T, (cells[:-1], cells[1:])
    steps = np.abs(b - a)
    sides = free[a[:, 0], b[:, 1]] & free[b[:, 0], a[:, 1]]
    return bool(free[rows, cols].all() and sides.all() and (steps.max(axis=1, initial=0) == 1).all())
