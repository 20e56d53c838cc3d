"""`premotor bench llm`: this engine beside others on this machine. Those with planners are composed in `app`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from premotor_foundation.errors import UsageError
from premotor_runtime.app.bench_faults.commands import bench_faults
from premotor_runtime.app.bench_path.commands import bench_path
from premotor_runtime.app.bench_realtime.commands import bench_realtime
from premotor_runtime.bench.group import bench_group
from premotor_runtime.scheduler.study.commands import bench_admission, bench_virtual_time

_MOST_ROUNDS = 100


def register(app: typer.Typer) -> None:
    """Add `bench llm`, `bench path`, `bench realtime`, `bench faults`, `bench admission` and `bench virtual-time`."""
    bench_group(app).command("llm")(bench_llm)
    bench_group(app).command("path")(bench_path)
    bench_group(app).command("realtime")(bench_realtime)
    bench_group(app).command("admission")(bench_admission)
    bench_group(app).command("faults")(bench_faults)
    bench_group(app).command("virtual-time")(bench_virtual_time)


def bench_llm(
    models: Annotated[str | None, typer.Option(help="Some of S,M,L. Default: every row of the table of bars.")] = None,
    precision: Annotated[str | None, typer.Option(help="Some of int4,int8,bf16.")] = None,
    batch: Annotated[str, typer.Option(help="Batch sizes of decode.")] = "1,8",
    rounds: Annotated[int, typer.Option(min=1, max=_MOST_ROUNDS, help="Rounds; medians are reported.")] = 5,
    only: Annotated[
        list[str] | None, typer.Option(help="A section: speed, batching, prefix, budget, planning; may be repeated.")
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, max=64, help="For every engine; default all cores.")] = None,
    runner: Annotated[str, typer.Option(help="Our runner: native or reference.")] = "native",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here.")] = None,
) -> None:
    """Decode, prefill, memory, start-up and serving of the LLM engine, in turns with the peers that are installed."""
    import json

    from rich.console import Console

    from premotor_foundation.atomic_write import write_atomically
    from premotor_runtime.app.bench_planning import measure_planning
    from premotor_runtime.bench.measuring import count_measurements, run_bench
    from premotor_runtime.bench.report import report
    from premotor_runtime.bench.settings import BenchSettings, choose_cases, choose_contests, choose_sections
    from premotor_runtime.bench.showing import progress
    from premotor_runtime.bench.table import print_report
    from premotor_runtime.doctor.machine import usable_cores

    if runner not in ("native", "reference"):
        raise UsageError(f"the runner is `{runner}`; give native or reference")
    settings = BenchSettings(
        choose_contests(models, precision), choose_cases(batch), rounds, threads or usable_cores(),
        choose_sections(only or ()), runner,
    )  # fmt: skip
    _check_writable(json_file)
    with progress(count_measurements(settings)) as advance:
        result = run_bench(settings, lambda: measure_planning(rounds), advance)
    found = report(result, settings)
    if json_file is not None:
        write_atomically(json_file, json.dumps(found, indent=2) + "\n")
    print_report(found, Console())


def _check_writable(path: Path | None) -> None:
    """Before minutes of measuring, not after. Raises UsageError."""
    if path is not None and not path.parent.is_dir():
        raise UsageError(f"`--json {path}`: there is no folder {path.parent}; make it first")
