"""One kernel on one device, measured and stored."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from rich.console import Console

from premotor_accelerators.board_state import read_board_state
from premotor_accelerators.precision.recordings import read_recordings
from premotor_accelerators.profiles.record import ProfileRecord, key_of
from premotor_accelerators.profiles.store import ProfileStore
from premotor_accelerators.profiles.taking import take_profile
from premotor_runtime.app.kernels.catalogue import kernel_named
from premotor_runtime.app.kernels.devices import open_device, precision_named, versions_of
from premotor_runtime.doctor.machine import read_machine


def profile_kernel(
    kernel: str,
    device: str,
    precision: str | None,
    runs: int,
    core: int | None,
    board: str | None,
    recordings: Path | None,
    store: ProfileStore | None = None,
) -> tuple[ProfileRecord, Path]:
    """Measure and store. With recordings the first of them is the input, otherwise zeros."""
    computed, state = kernel_named(kernel), read_board_state()
    samples = read_recordings(recordings, computed) if recordings else []
    opened = open_device(device, board, lambda _: samples)
    machine = state.model or read_machine().cpu
    key = key_of(computed, device, precision_named(precision, device), machine, state, versions_of(device))
    pinned = max(os.sched_getaffinity(0)) if core is None else core
    given: Any = samples[0] if samples else None
    console = Console(stderr=True)
    with console.status(f"Measuring {kernel} on {device}") if console.is_terminal else Console(quiet=True).status(""):
        record = take_profile(opened, computed, key, runs, pinned, given)
    return record, (store or ProfileStore()).save(record)


def profile_text(record: ProfileRecord, path: Path) -> str:
    """For the terminal."""
    key = record.key
    mode = f", power mode {key.power_mode}" if key.power_mode else ""
    clock = f", memory clock {key.memory_clock_mhz:g} MHz" if key.memory_clock_mhz else ""
    lines = [
        f"{key.kernel} on {key.device} at {key.precision}: {record.implementation}",
        f"{key.machine}{mode}{clock}, pinned to core {record.core}",
        f"cold {record.cold_ms:.2f} ms, warm {record.warm_ms:.3f} ms",
        f"p50 {record.p50_ms:.3f} ms, p99 {record.p99_ms:.3f} ms, max {record.max_ms:.3f} ms over {record.runs} runs",
        f"stored in {path}",
    ]
    return "\n".join(lines)
