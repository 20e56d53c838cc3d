"""`premotor export`, `premotor profile` and `premotor build`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from premotor_foundation.errors import UsageError

_KERNELS = "cspace, cost_to_go, cost_to_go_256, heading_cost_to_go, mppi, mppi_omnidirectional or mppi_ackermann."
AsJson = Annotated[bool, typer.Option("--json", help="As JSON.")]
Precision = Annotated[str | None, typer.Option(help="fp32, fp16 or int8; default: the device's usual one.")]
Recordings = Annotated[
    Path | None, typer.Option(help="A folder of recorded kernel inputs, for int8 and to check the accuracy.")
]


def register(app: typer.Typer) -> None:
    """Add the three."""
    app.command()(export)
    app.command()(profile)
    app.command()(build)


def export(
    kernel: Annotated[str, typer.Argument(help=_KERNELS)],
    output: Annotated[Path, typer.Option("-o", "--output", help="The .onnx file to write.")],
    as_json: AsJson = False,
) -> None:
    """Write a kernel as an ONNX model: opset 17, static shapes."""
    from premotor_runtime.app.kernels.catalogue import kernel_named
    from premotor_runtime.app.kernels.exporting import export_kernel

    exported = export_kernel(kernel_named(kernel), output)
    typer.echo(json.dumps(exported, indent=2) if as_json else f"{exported['file']}  {exported['nodes']} nodes")


def profile(
    kernel: Annotated[str, typer.Option(help=_KERNELS)],
    device: Annotated[str, typer.Option(help="cpu, cuda, tensorrt, dla0 or dla1.")] = "cpu",
    precision: Precision = None,
    runs: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many timed runs.")] = 1000,
    core: Annotated[int | None, typer.Option(min=0, help="The CPU core to pin to; default: the last usable.")] = None,
    board: Annotated[str | None, typer.Option(help="Of a DLA core, such as agx_orin_64.")] = None,
    recordings: Recordings = None,
    as_json: AsJson = False,
) -> None:
    """Measure a kernel on a device, pinned to one core, and store the profile for scheduler and simulator."""
    from premotor_accelerators.profiles.record import to_json
    from premotor_runtime.app.kernels.profiling import profile_kernel, profile_text

    record, path = profile_kernel(kernel, device, precision, runs, core, board, recordings)
    typer.echo(to_json(record) if as_json else profile_text(record, path))


def build(
    target: Annotated[
        str, typer.Option(help="native (the language model's runner), rtx, tensorrt, dla0 or dla1.")
    ] = "native",
    model: Annotated[
        str,
        typer.Option(help="Of target native: gemma3-270m, a checkpoint folder, a .gguf file, or a shape S, M or L."),
    ] = "gemma3-270m",
    kernel: Annotated[
        list[str] | None, typer.Option(help="Kernels to build; default: all. May stand repeatedly.")
    ] = None,
    precision: Precision = None,
    capability: Annotated[
        list[str] | None, typer.Option(help="Of target rtx: GPUs to build for; default: 8.6, 8.9 and 12.0.")
    ] = None,
    board: Annotated[str | None, typer.Option(help="Of a DLA core, such as agx_orin_64.")] = None,
    recordings: Recordings = None,
    as_json: AsJson = False,
) -> None:
    """Build ahead of the first use: the language model's runner, or the kernels' engines. Exit code 1: it cannot be."""
    if target == "native":
        from premotor_runtime.app.kernels.natives import build_natives
        from premotor_runtime.doctor.commands import build_runner

        if as_json:
            raise UsageError("--json is for the kernels' engines: --target rtx, tensorrt, dla0 or dla1")
        build_runner(model)
        for line in build_natives():
            typer.echo(line)
        return
    from rich.console import Console

    from premotor_runtime.app.kernels.building import build_engines, built_json, print_built

    built = build_engines(target, kernel, precision, capability, board, recordings)
    if as_json:
        typer.echo(json.dumps(built_json(target, built), indent=2))
    else:
        print_built(built, Console())
