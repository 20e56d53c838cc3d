"""The command; what it needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from premotor_foundation.errors import EXIT_FAILED, UsageError


def bench_faults(
    only: Annotated[list[str] | None, typer.Option(help="A fault: kill, stop, leak, disk, gone; repeatable.")] = None,
    model: Annotated[str, typer.Option(help="The shape of the random model that decodes: S, M or L.")] = "S",
    seed: Annotated[int, typer.Option(min=0, help="Of the controller's rollouts.")] = 1,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here.")] = None,
) -> None:
    """A robot drives while its brain is killed, stopped, leaks memory or fills the disk. Exit 1: a bar missed."""
    import json
    from dataclasses import asdict

    from rich.console import Console

    from premotor_foundation.atomic_write import write_atomically
    from premotor_runtime.app.bench_faults.report import print_faults_report, report
    from premotor_runtime.app.bench_faults.settings import chosen_faults
    from premotor_runtime.app.bench_faults.trial import run_trial
    from premotor_runtime.app.bench_faults.warming import settings_for, warm_up
    from premotor_runtime.bench.showing import progress
    from premotor_runtime.doctor.machine import read_machine

    faults = chosen_faults(tuple(only or ()))
    if json_file is not None and not json_file.parent.is_dir():
        raise UsageError(f"`--json {json_file}`: there is no folder {json_file.parent}; make it first")
    settings = settings_for(model, seed)
    trials = []
    with progress(len(faults) + 1) as advance:
        warm_up(settings)
        advance("start-up")
        for fault in faults:
            trials.append(run_trial(fault, settings))
            advance(fault)
    figures = report(asdict(read_machine()), settings, trials)
    if json_file is not None:
        write_atomically(json_file, json.dumps(figures, indent=2) + "\n")
    print_faults_report(figures, Console())
    if not all(met is not False for row in figures["faults"].values() for met in row["met"].values()):
        raise typer.Exit(EXIT_FAILED)
