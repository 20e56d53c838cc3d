"""The command; what it needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from premotor_foundation.errors import EXIT_FAILED, UsageError

_LONGEST_S = 3600.0


def bench_realtime(
    seconds: Annotated[float, typer.Option(min=1.0, max=_LONGEST_S, help="How long each set-up is measured.")] = 60.0,
    setup: Annotated[
        list[str] | None, typer.Option(help="naive, threads, own_lane, shared_lane; may be repeated. Default: all.")
    ] = None,
    model: Annotated[str, typer.Option(help="S, M or L: a shape of random weights, int4.")] = "M",
    picture: Annotated[Path | None, typer.Option(help="Draw a second of each set-up here, as PNG.")] = None,
    trace: Annotated[Path | None, typer.Option(help="Write those seconds here; opens in Perfetto.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here.")] = None,
) -> None:
    """Control at 50 Hz while a language model runs flat out: in four set-ups, in turns. Exit 1: a bar missed."""
    import json
    import os

    from rich.console import Console

    from premotor_foundation.atomic_write import write_atomically
    from premotor_runtime.app.bench_realtime.figures import figures
    from premotor_runtime.app.bench_realtime.lanes import trace_of, typical_second
    from premotor_runtime.app.bench_realtime.picture import write_picture
    from premotor_runtime.app.bench_realtime.processes import run_slices
    from premotor_runtime.app.bench_realtime.report import print_realtime_report, report
    from premotor_runtime.app.bench_realtime.settings import TIMING, RealtimeSettings, check_cores, chosen_set_ups
    from premotor_runtime.app.bench_realtime.slices import BASES, Slice, slices
    from premotor_runtime.app.bench_realtime.stolen import StolenTime
    from premotor_runtime.bench.showing import progress
    from premotor_runtime.bench.weights import hf_folder, shape
    from premotor_runtime.doctor.machine import read_machine

    chosen, config = chosen_set_ups(setup or ()), shape(model)
    check_cores(os.sched_getaffinity(0))
    for option, path in (("--json", json_file), ("--picture", picture), ("--trace", trace)):
        _check_writable(option, path)
    settings = RealtimeSettings(seconds, chosen, model, hf_folder(model, config))
    order = slices(seconds, [*chosen, *BASES], TIMING.period_s)
    machine = read_machine()
    stolen = StolenTime()
    with progress(len(order)) as advance:

        def ended(part: Slice) -> None:
            stolen.ended(part.measured if part.counted else None)
            advance(part.measured)

        collected = run_slices(settings, order, ended)
    found = report(machine, settings, figures(collected), stolen.ms)
    shown = [typical_second(collected, name) for name in chosen]
    if json_file is not None:
        write_atomically(json_file, json.dumps(found, indent=2) + "\n")
    if picture is not None:
        write_picture(shown, found, picture)
    if trace is not None:
        write_atomically(trace, trace_of(shown))
    print_realtime_report(found, Console())
    if not all(line["met"] for line in found["bars"]):
        raise typer.Exit(EXIT_FAILED)


def _check_writable(option: str, path: Path | None) -> None:
    """Before minutes of measuring, not after. Raises UsageError."""
    if path is not None and not path.parent.is_dir():
        raise UsageError(f"`{option} {path}`: there is no folder {path.parent}; make it first")
