"""`premotor doctor`: what this machine has; and the language model's part of `premotor build`."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from premotor_runtime.models.config import ModelConfig


def register(app: typer.Typer) -> None:
    """Add `doctor`."""
    app.command()(doctor)


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Everything found, as JSON.")] = False,
) -> None:
    """What this machine has and lacks: devices, the native runner, rights, versions."""
    import json

    from rich.console import Console

    from premotor_runtime.doctor.examine import doctor_json, examine
    from premotor_runtime.doctor.showing import print_findings

    findings = examine()
    if as_json:
        typer.echo(json.dumps(doctor_json(findings), indent=2))
    else:
        print_findings(findings, Console())


def build_runner(model: str) -> None:
    """Compile the native runner for a model and say what was compiled. Raises BuildError."""
    import time

    from rich.console import Console

    from premotor_runtime.doctor.building import build_native

    console = Console()
    config = _config(model)
    began = time.monotonic()
    with console.status("Compiling the native runner") if console.is_terminal else _quietly():
        built = build_native(config)
    lines = [
        f"compiler  {built.compiler or 'none found; an earlier build serves'}",
        f"flags     {' '.join(built.flags)}",
        f"shape     {' '.join(built.shape)}",
        f"for       {built.instruction_set}",
        f"time      {time.monotonic() - began:.1f} s",
        f"library   {built.path}",
    ]
    typer.echo("\n".join(lines))


def _config(model: str) -> ModelConfig:
    from premotor_runtime.models.random_checkpoint import SHAPES
    from premotor_runtime.models.registry import load_checkpoint

    return SHAPES[model] if model in SHAPES else load_checkpoint(model).config


def _quietly() -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()
