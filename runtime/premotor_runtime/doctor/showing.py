"""The examination as text for the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from premotor_accelerators.board_state import Clock
from premotor_runtime.doctor.findings import Device, Findings

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
        *[(device.name, device.usable, _device(device)) for device in findings.devices],
        *_board(findings),
        ("native runner", native.state != "impossible", f"{native.reason} ({native.libraries} in {native.folder})"),
        ("planner's library", native.planner.built, f"{native.planner.reason} (for {native.planner.model})"),
        ("compiler", native.compiler is not None, " ".join([native.compiler or "none found", *native.flags])),
        ("onnxruntime", bool(findings.providers), ", ".join(findings.providers) or "not installed"),
        ("SCHED_FIFO", rights.sched_fifo, _with(rights.reason, rights.fifo_remedy)),
        ("mlock", rights.mlock, _with(f"limit: {_limit(rights.lockable_bytes)}", rights.mlock_remedy)),
        ("versions", None, ", ".join(f"{name} {found}" for name, found in findings.versions.items() if found)),
        ("not installed", None, ", ".join(name for name, found in findings.versions.items() if not found) or "nothing"),
    ]


def _device(device: Device) -> str:
    parts = [device.reason]
    if device.version and device.version not in device.reason:
        parts.append(f"version {device.version}")
    if device.clock.cap_mhz or device.clock.now_mhz:
        parts.append(_clock(device.clock))
    return _with(", ".join(parts), device.remedy)


def _board(findings: Findings) -> list[tuple[str, bool | None, str]]:
    state = findings.state
    if state.model is None:
        return []
    told = [("board file", findings.board_file), ("power mode", state.power_mode), ("Jetson Linux", state.l4t)]
    rows: list[tuple[str, bool | None, str]] = [(name, None, text or "unknown") for name, text in told]
    rows.append(("memory clock", None, _clock(state.memory)))
    return rows + [(advice.about, False, _with(advice.reason, advice.remedy)) for advice in findings.advice]


def _clock(clock: Clock) -> str:
    now = f"{clock.now_mhz:g} MHz now" if clock.now_mhz else ""
    cap = f"at most {clock.cap_mhz:g} MHz" if clock.cap_mhz else ""
    return ", ".join(part for part in (now, cap) if part) or "unknown"


def _with(reason: str, remedy: str) -> str:
    return f"{reason}; {remedy}" if remedy else reason


def _limit(count: int | None) -> str:
    return "none" if count is None else _size(count)


def _size(count: int | None) -> str:
    if count is None:
        return "unknown"
    return next((f"{count / unit:.1f} {name}" for name, unit in _UNITS if count >= unit), f"{count} bytes")
