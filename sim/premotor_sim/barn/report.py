"""Runs as JSON, schema premotor.bench.barn/1, and as a table with bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from premotor_sim.barn.episode import Run

SCHEMA = "premotor.bench.barn/1"
MOST_CONTROL_MS = 25.0
BARS: dict[tuple[str, str], tuple[float, bool, float]] = {
    ("barn", "ideal"): (1.0, True, 0.49),
    ("barn", "moderate"): (0.98, True, 0.48),
    ("barn", "hard"): (0.97, False, 0.47),
    ("dense", "ideal"): (0.98, True, 0.48),
    ("dense", "light"): (0.95, True, 0.46),
}
"""For kind of world and set-up: least success rate, whether no run may touch anything, least mean metric."""


def summary(runs: Sequence[Run]) -> dict[str, Any]:
    """Rates over some runs; of at least one."""
    times = np.concatenate([run.control_ms for run in runs])
    return {
        "runs": len(runs),
        "success_rate": float(np.mean([run.success for run in runs])),
        "collided": sum(run.collided for run in runs),
        "mean_metric": float(np.mean([run.metric for run in runs])),
        "mean_time_s": float(np.mean([run.time_s for run in runs])),
        "control_ms": {"p50": float(np.percentile(times, 50)), "p99": float(np.percentile(times, 99))},
    }


def report(kind: str, runs: Mapping[str, Sequence[Run]], machine: Mapping[str, Any]) -> dict[str, Any]:
    """`runs` by controller; those of `mppi` are the top level's, others stand under `beside`."""
    found = {name: _of_controller(kind, those) for name, those in runs.items() if those}
    beside = {name: found[name] for name in found if name != "mppi"}
    return {"schema": SCHEMA, "worlds": kind, "machine": dict(machine), **found["mppi"], "beside": beside}


def _of_controller(kind: str, runs: Sequence[Run]) -> dict[str, Any]:
    by_set_up: dict[str, list[Run]] = {}
    for run in runs:
        by_set_up.setdefault(run.set_up, []).append(run)
    whole = summary(runs)
    return {
        "runs": [_line(run) for run in runs],
        "success_rate": whole["success_rate"],
        "mean_metric": whole["mean_metric"],
        "control_ms": whole["control_ms"],
        "set_ups": {name: {**summary(those), "met": _met(kind, name, those)} for name, those in by_set_up.items()},
    }


def _line(run: Run) -> dict[str, Any]:
    names = ("world", "seed", "set_up", "success", "collided", "timeout", "time_s", "metric")
    return {name: getattr(run, name) for name in names}


def _met(kind: str, set_up: str, runs: Sequence[Run]) -> bool:
    rate, untouched, least = BARS[kind, set_up]
    found = summary(runs)
    clean = found["collided"] == 0 or not untouched
    return bool(found["success_rate"] >= rate and clean and found["mean_metric"] >= least)


def print_barn_report(found: Mapping[str, Any], console: Console) -> None:
    """One line a set-up and controller."""
    table = Table(
        "set-up", "controller", "runs", "success", "touched", "metric", "bar", "", "control p50 / p99",
        title=f"Worlds: {found['worlds']}", title_justify="left", header_style="bold",
    )  # fmt: skip
    for set_up in found["set_ups"]:
        rate, untouched, least = BARS[found["worlds"], set_up]
        bar = f">= {rate:.0%}, {'no contact, ' if untouched else ''}>= {least:.2f}"
        for name, those in {"mppi": found, **found["beside"]}.items():
            line = those["set_ups"].get(set_up)
            if line is None:
                continue
            verdict = ("[green]met[/]" if line["met"] else "[red]missed[/]") if name == "mppi" else ""
            ms = line["control_ms"]
            table.add_row(
                set_up, name, str(line["runs"]), f"{line['success_rate']:.1%}", str(line["collided"]),
                f"{line['mean_metric']:.3f}", bar if name == "mppi" else "", verdict,
                f"{ms['p50']:.1f} / {ms['p99']:.1f} ms",
            )  # fmt: skip
    console.print(table)
