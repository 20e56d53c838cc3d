"""`premotor bench admission` and `premotor bench virtual-time`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from premotor_foundation.errors import EXIT_FAILED

Json = Annotated[Path | None, typer.Option("--json", help="Write the figures here.")]


def bench_admission(
    sets: Annotated[int, typer.Option(min=20, help="Task sets to draw.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Of the first set.")] = 0,
    plot: Annotated[Path | None, typer.Option(help="Write the shares as a PNG here.")] = None,
    json_file: Json = None,
) -> None:
    """Admitted shares of random task sets, and that no admitted one misses a deadline over its hyperperiod."""
    from premotor_runtime.bench.showing import progress
    from premotor_runtime.scheduler.study.plotting import write_plot
    from premotor_runtime.scheduler.study.shares import study

    with progress(sets) as advance:
        found = study(sets, seed, advance)
    if plot is not None:
        write_plot(found, plot)
    _write(json_file, found.as_json())
    typer.echo("utilization  sets  admitted  hard proved  utilization bound  FIFO unseen  ours unseen")
    for row in found.rows:
        shares = (row.admitted, row.hard_proved, row.utilization_bound, row.fifo, row.policy)
        shown = " ".join(f"{count / max(1, row.sets):11.0%}" for count in shares)
        typer.echo(f"{row.utilization:11.2f} {row.sets:5d} {shown}")
    typer.echo(f"{found.simulated} admitted sets simulated, {found.jobs} jobs, {len(found.failures)} sets with a miss")
    if found.failures:
        raise typer.Exit(EXIT_FAILED)


def bench_virtual_time(
    periods: Annotated[int, typer.Option(min=24, help="Control periods at 50 Hz; the default is a day.")] = 4_320_000,
    json_file: Json = None,
) -> None:
    """A day of control periods beside a language model in virtual time: drift, memory, misses."""
    from premotor_runtime.bench.showing import progress
    from premotor_runtime.scheduler.study.day import PARTS, run_day

    with progress(PARTS) as advance:
        report = run_day(periods, advance)
    _write(json_file, report.as_json())
    took = f"{report.seconds:.0f} s ({report.cpu_seconds:.0f} s computing)"
    typer.echo(
        f"{report.periods} periods in {took}: {report.misses} misses, drift {report.drift_ns} ns, "
        f"memory grew by {report.growth_bytes / 2**20:.1f} MiB, {sum(report.tokens_per_part)} tokens"
    )
    if report.misses or report.drift_ns:
        raise typer.Exit(EXIT_FAILED)


def _write(path: Path | None, found: dict[str, Any]) -> None:
    import json

    from premotor_foundation.atomic_write import write_atomically

    if path is not None:
        write_atomically(path, json.dumps(found, indent=2) + "\n")
