"""Measuring one kernel on one device."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

import numpy as np

from premotor_accelerators.errors import DeviceUnavailable
from premotor_accelerators.profiles.measuring import latencies
from premotor_accelerators.profiles.record import ProfileKey, ProfileRecord
from premotor_accelerators.protocol import Arrays, Device, Kernel

RUNS = 1000


def take_profile(
    device: Device,
    kernel: Kernel,
    key: ProfileKey,
    runs: int = RUNS,
    core: int | None = None,
    inputs: Arrays | None = None,
) -> ProfileRecord:
    """Compile and run `kernel`, pinned to `core` meanwhile. `inputs` are zeros unless given.

    Raises DeviceUnavailable for a core that this process may not use, and what the device raises.
    """
    given = inputs or {spec.name: np.zeros(spec.shape, spec.dtype) for spec in kernel.inputs}
    results = {spec.name: np.zeros(spec.shape, spec.dtype) for spec in kernel.outputs}
    with pinned(core):
        began = time.perf_counter()
        executable = device.compile(kernel, key.precision)
        executable.run(given, results)
        cold = time.perf_counter()
        executable.run(given, results)
        warm = time.perf_counter()
        timed = latencies(lambda: executable.run(given, results), runs)
    implementation = str(getattr(executable, "implementation", device.name))
    times = ((cold - began) * 1e3, (warm - cold) * 1e3, timed.p50_ms, timed.p99_ms, timed.max_ms)
    return ProfileRecord(key, *times, runs, core, implementation)


@contextlib.contextmanager
def pinned(core: int | None) -> Iterator[None]:
    """This thread on one core within the block. Raises DeviceUnavailable for one that it may not use."""
    before = os.sched_getaffinity(0)
    if core is not None and core not in before:
        raise DeviceUnavailable(f"core {core} is not this process's; it may use {sorted(before)}")
    if core is not None:
        os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
