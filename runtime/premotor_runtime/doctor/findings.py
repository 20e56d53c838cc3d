"""What `premotor doctor` reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from premotor_runtime.doctor.machine import Machine


@dataclass(frozen=True)
class Device:
    """Something that runs kernels or models; `reason` says what is missing, or what was found."""

    name: str
    usable: bool
    reason: str


@dataclass(frozen=True)
class NativeState:
    """The native runner: `built` for at least one model, `ready` to be built at first use, or `impossible`.

    `reason` is a sentence; `libraries` counts what the cache `folder` holds; `compiler` is its version line.
    """

    state: Literal["built", "ready", "impossible"]
    reason: str
    compiler: str | None
    flags: tuple[str, ...]
    libraries: int
    folder: str


@dataclass(frozen=True)
class RightsFound:
    """What a real-time process would be given here; bytes it may lock, None for no limit."""

    sched_fifo: bool
    reason: str
    lockable_bytes: int | None


@dataclass(frozen=True)
class Findings:
    """The whole examination; a package that is not installed has the version None."""

    machine: Machine
    board: str | None
    devices: tuple[Device, ...]
    native: NativeState
    providers: tuple[str, ...]
    rights: RightsFound
    versions: dict[str, str | None]
