"""What is asked of global planning on MovingAI's maps, as lines for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from premotor_runtime.app.bench_path.section import Line, at_least_times

BIG = 512
BIG_RATIO, POOLED_RATIO = 2.0, 10.0
_TELLING = 100
"""The 99th percentile of fewer is the one query that was interrupted."""


def percentiles(ms: Sequence[float]) -> dict[str, float]:
    """Median and 99th percentile."""
    return {"p50": float(np.percentile(ms, 50)), "p99": float(np.percentile(ms, 99))}


def lines_of(figures: Mapping[str, Any], peer: str) -> tuple[Line, ...]:
    """Costs and paths, then times beside the peer's where it was there."""
    maps, pooled = figures["maps"], figures["pooled"]
    queries = sum(each["queries"] for each in maps)
    right = sum(each["solved"] for each in maps) - sum(each["wrong_cost"] for each in maps)
    lines = [
        Line(f"MovingAI, {len(maps)} maps: legal path, optimal cost", f"{right} of {queries}", "all", right == queries),
        Line("MovingAI, all queries", f"p50 {pooled['ms']['p50']:.3f} ms, p99 {pooled['ms']['p99']:.2f} ms"),
    ]
    if peer in pooled.get("peers", {}):
        lines += _beside(maps, pooled, peer)
    return tuple(lines)


def _beside(maps: Sequence[Mapping[str, Any]], pooled: Mapping[str, Any], peer: str) -> list[Line]:
    lines = [
        at_least_times(f"{each['name']}, median against {peer}", _ratio(each, peer), BIG_RATIO)
        for each in maps
        if each["rows"] == each["cols"] == BIG
    ]
    lines.append(at_least_times(f"all queries, median against {peer}", _ratio(pooled, peer), POOLED_RATIO))
    ours, theirs = pooled["ms"]["p99"], pooled["peers"][peer]["ms"]["p99"]
    lines.append(Line(f"all queries, p99 ({peer})", f"{ours:.2f} ms ({theirs:.2f} ms)", "not worse", ours <= theirs))
    many = [each for each in maps if each["queries"] >= _TELLING]
    worse = [each["name"] for each in many if each["ms"]["p99"] > each["peers"][peer]["ms"]["p99"]]
    about = f"maps of {_TELLING} queries or more whose p99 is worse than {peer}'s"
    lines.append(Line(about, ", ".join(worse) or f"none of {len(many)}", "none", not worse))
    slowest = max(maps, key=lambda each: float(each["cold_ms"]))
    cold = f"{slowest['cold_ms']:.1f} ms ({slowest['peers'][peer]['cold_ms']:.1f} ms)"
    lines.append(Line(f"{slowest['name']}, preparing and first query ({peer})", cold))
    return lines


def _ratio(entry: Mapping[str, Any], peer: str) -> float:
    return float(entry["peers"][peer]["ms"]["p50"] / entry["ms"]["p50"])
