"""Engines for all kernels, built or found, with times and sizes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from premotor_accelerators.engines.cache import EngineCache
from premotor_accelerators.errors import CompileRefused
from premotor_accelerators.precision.recordings import read_recordings
from premotor_accelerators.protocol import Arrays, Kernel
from premotor_accelerators.tensorrt.engine_source import EngineSource
from premotor_accelerators.tensorrt.options import BuildOptions
from premotor_accelerators.tensorrt.vendor import load_rtx, rtx_builder
from premotor_foundation.errors import UsageError
from premotor_runtime.app.kernels.catalogue import KERNELS, kernel_named
from premotor_runtime.app.kernels.devices import DEVICES, open_device, precision_named

SCHEMA = "premotor.build/1"
RTX_TARGETS = ("8.6", "8.9", "12.0")


@dataclass(frozen=True)
class BuiltKernel:
    """One engine, or why there is none.

    `first_s` is what getting it took now, `again_s` the same once it was in the cache; `cached` whether it already was.
    """

    kernel: str
    precision: str
    unit: str
    builder: str
    refused: str = ""
    cached: bool = False
    layers: int | None = None
    engine_bytes: int | None = None
    first_s: float | None = None
    again_s: float | None = None


def build_engines(
    target: str,
    kernels: Sequence[str] | None,
    precision: str | None,
    capabilities: Sequence[str] | None,
    board: str | None,
    recordings: Path | None,
    cache: EngineCache | None = None,
) -> list[BuiltKernel]:
    """Every kernel for the target. A kernel that is refused is a row with its reason.

    Raises UsageError for unknown names, DeviceUnavailable without the builder, NotStored.
    """
    names = list(kernels or KERNELS)
    chosen = [kernel_named(name) for name in names]
    if target == "rtx":
        return _build_rtx(chosen, precision, tuple(capabilities or RTX_TARGETS), recordings, cache)
    if target not in DEVICES[2:]:
        raise UsageError(f"there is no target `{target}`; known: native, rtx, {', '.join(DEVICES[2:])}")
    return [_build_here(target, kernel, precision, board, recordings) for kernel in chosen]


def built_json(target: str, built: Sequence[BuiltKernel]) -> dict[str, Any]:
    """Schema premotor.build/1."""
    return {"schema": SCHEMA, "target": target, "engines": [asdict(one) for one in built]}


def print_built(built: Sequence[BuiltKernel], console: Console) -> None:
    """A table with a row for each engine."""
    table = Table("kernel", "precision", "for", "layers", "size", "first", "again", "ratio", box=None, pad_edge=False)
    for one in built:
        if one.refused:
            table.add_row(one.kernel, one.precision, one.unit, "refused:", one.refused)
            continue
        size = f"{(one.engine_bytes or 0) / 1e6:.2f} MB"
        times = [f"{seconds:.3f} s" if seconds is not None else "" for seconds in (one.first_s, one.again_s)]
        ratio = f"{one.first_s / one.again_s:.0f}x" if one.first_s and one.again_s and not one.cached else "cached"
        table.add_row(one.kernel, one.precision, one.unit, str(one.layers or ""), size, *times, ratio)
    console.print(table)


def _build_rtx(
    kernels: Sequence[Kernel],
    precision: str | None,
    capabilities: tuple[str, ...],
    recordings: Path | None,
    cache: EngineCache | None,
) -> list[BuiltKernel]:
    builder = rtx_builder() or load_rtx().builder
    source = EngineSource(builder, load_rtx, "rtx", cache)
    options = [_rtx_options(precision, capability) for capability in capabilities]
    console = Console(stderr=True)
    rows = []
    with console.status("Building") if console.is_terminal else Console(quiet=True).status(""):
        for kernel in kernels:
            samples = read_recordings(recordings, kernel) if recordings else ()
            rows += [_build_one(source, kernel, option, samples) for option in options]
    return rows


def _rtx_options(precision: str | None, capability: str) -> BuildOptions:
    try:
        return BuildOptions(precision_named(precision, "rtx"), compute_capability=capability)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _build_one(source: EngineSource, kernel: Kernel, options: BuildOptions, samples: Sequence[Arrays]) -> BuiltKernel:
    row = (kernel.name, options.precision, f"sm {options.compute_capability}", source.builder)
    try:
        first = source.engine(kernel, options, samples)
    except CompileRefused as refused:
        return BuiltKernel(*row, refused=str(refused))
    again = source.engine(kernel, options, samples)
    return BuiltKernel(*row, "", first.cached, first.layers, len(first.plan), first.seconds, again.seconds)


def _build_here(
    target: str, kernel: Kernel, precision: str | None, board: str | None, recordings: Path | None
) -> BuiltKernel:
    samples = read_recordings(recordings, kernel) if recordings else []
    wanted = precision_named(precision, target)
    device = open_device(target, board, lambda _: samples)
    began = time.perf_counter()
    try:
        device.compile(kernel, wanted)
    except CompileRefused as refused:
        return BuiltKernel(kernel.name, wanted, target, device.name, refused=str(refused))
    middle = time.perf_counter()
    device.compile(kernel, wanted)
    again = time.perf_counter() - middle
    return BuiltKernel(kernel.name, wanted, target, device.name, first_s=middle - began, again_s=again)
