"""The examination as text for the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from premotor_runtime.doctor.findings import Findings

_UNITS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))


def print_findings(findings: Findings, console: Console) -> None:
    """One line a fact, with what to do where something is missing."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for name, good, text in _lines(findings):
        mark = "" if good is None else "[green]yes[/]" if good else "[yellow]no[/]"
        table.add_row(name, mark, text)
    console.print(table)


def _lines(findings: Findings) -> list[tuple[str, bool | None, str]]:
    machine, native, rights = findings.machine, findings.native, findings.rights
    return [
        ("machine", None, f"{findings.board or machine.cpu}, {machine.architecture}, {machine.cores} cores"),
        ("instructions", None, " ".join(machine.isa) or "none of those that matter here"),
        ("memory", None, f"{_size(machine.memory_available)} of {_size(machine.memory_total)} available"),
        ("load", None, " ".join(str(value) for value in machine.load) or "unknown"),
        *[(device.name, device.usable, device.reason) for device in findings.devices],
        ("native runner", native.state != "impossible", f"{native.reason} ({native.libraries} in {native.folder})"),
        ("compiler", native.compiler is not None, " ".join([native.compiler or "none found", *native.flags])),
        ("onnxruntime", bool(findings.providers), ", ".join(findings.providers) or "not installed"),
        ("SCHED_FIFO", rights.sched_fifo, rights.reason),
        ("lockable memory", None, "no limit" if rights.lockable_bytes is None else _size(rights.lockable_bytes)),
        ("versions", None, ", ".join(f"{name} {found}" for name, found in findings.versions.items() if found)),
        ("not installed", None, ", ".join(name for name, found in findings.versions.items() if not found) or "nothing"),
    ]


def _size(count: int | None) -> str:
    if count is None:
        return "unknown"
    return next((f"{count / unit:.1f} {name}" for name, unit in _UNITS if count >= unit), f"{count} bytes")
