"""A run as JSON, schema premotor.bench.path/1, and as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from premotor_runtime.app.bench_path.section import Section
from premotor_runtime.doctor.machine import Machine

SCHEMA = "premotor.bench.path/1"


def report(machine: Machine, rounds: int, sections: Mapping[str, Section]) -> dict[str, Any]:
    """Every figure; `lines` hold each measure, its result, bar and verdict, `maps` those of section `movingai`."""
    return {
        "schema": SCHEMA,
        "maps": sections["movingai"].figures["maps"] if "movingai" in sections else [],
        "machine": asdict(machine),
        "rounds": rounds,
        "sections": {name: section.figures for name, section in sections.items()},
        "lines": [asdict(line) for section in sections.values() for line in section.lines],
        "absent": [absent for section in sections.values() for absent in section.absent],
    }


def print_path_report(found: Mapping[str, Any], console: Console) -> None:
    """The machine, one table, and who is absent."""
    machine = found["machine"]
    about = f"{machine['cpu']}, one core of {machine['cores']}, medians of {found['rounds']} rounds in turns"
    console.print(about, markup=False, highlight=False)
    table = Table("measure", "result", "bar", "", title="Motion kernels", title_justify="left", header_style="bold")
    for line in found["lines"]:
        verdict = "" if line["met"] is None else "[green]met[/]" if line["met"] else "[red]missed[/]"
        table.add_row(line["measure"], line["result"], line["bar"], verdict)
    console.print(table)
    for absent in found["absent"]:
        console.print(absent, markup=False, highlight=False)
