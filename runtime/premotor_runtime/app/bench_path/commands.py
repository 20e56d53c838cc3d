"""The command; what it needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from premotor_foundation.errors import UsageError

_MOST_ROUNDS = 1000


def bench_path(
    rounds: Annotated[int, typer.Option(min=5, max=_MOST_ROUNDS, help="Rounds; medians are reported.")] = 15,
    only: Annotated[
        list[str] | None,
        typer.Option(help="A section: cost_to_go, cspace, constant_time, mppi, movingai; may be repeated."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="A folder that holds MovingAI's maps and scenarios: plan on them too.")
    ] = None,
    queries: Annotated[int | None, typer.Option(min=1, help="At most so many queries of each map.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here.")] = None,
) -> None:
    """The motion kernels on one core, in turns with ONNX Runtime, A* and the peers that are installed."""
    import json

    from rich.console import Console

    from premotor_foundation.atomic_write import write_atomically
    from premotor_runtime.app.bench_path.report import print_path_report, report
    from premotor_runtime.app.bench_path.sections import chosen_sections
    from premotor_runtime.bench.showing import progress
    from premotor_runtime.doctor.machine import read_machine

    chosen = chosen_sections(only or (), data, queries)
    if json_file is not None and not json_file.parent.is_dir():
        raise UsageError(f"`--json {json_file}`: there is no folder {json_file.parent}; make it first")
    found = {}
    with progress(len(chosen)) as advance:
        for name, section in chosen.items():
            found[name] = section(rounds)
            advance(name)
    figures = report(read_machine(), rounds, found)
    if json_file is not None:
        write_atomically(json_file, json.dumps(figures, indent=2) + "\n")
    print_path_report(figures, Console())
