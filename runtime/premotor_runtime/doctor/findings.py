"""What `premotor doctor` reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from premotor_accelerators.board_state import UNKNOWN_CLOCK, BoardState, Clock
from premotor_runtime.doctor.machine import Machine


@dataclass(frozen=True)
class Device:
    """Something that runs kernels or models; `reason` says what is missing, or what was found.

    `version` is that of the library behind it, `cores` how many units there are, `remedy` the command that brings what
    is missing (empty where nothing is).
    """

    name: str
    usable: bool
    reason: str
    version: str | None = None
    cores: int | None = None
    clock: Clock = UNKNOWN_CLOCK
    remedy: str = ""


@dataclass(frozen=True)
class PlannerLibrary:
    """The native library that the default planner, `model`, needs; `remedy` is the command that builds it."""

    model: str
    built: bool
    reason: str
    remedy: str


@dataclass(frozen=True)
class NativeState:
    """The native runner: `built` for at least one model, `ready` to be built at first use, or `impossible`.

    `reason` is a sentence; `libraries` counts what the cache `folder` holds, `planner` is the one among them that the
    default planner needs; `compiler` is its version line.
    """

    state: Literal["built", "ready", "impossible"]
    reason: str
    compiler: str | None
    flags: tuple[str, ...]
    libraries: int
    folder: str
    planner: PlannerLibrary


@dataclass(frozen=True)
class RightsFound:
    """What a real-time process would be given here; bytes it may lock, None for no limit.

    `mlock` says whether it may lock all of its memory. A remedy is a command, empty where the right is there.
    """

    sched_fifo: bool
    reason: str
    lockable_bytes: int | None
    mlock: bool
    fifo_remedy: str
    mlock_remedy: str


@dataclass(frozen=True)
class Advice:
    """Something about the board that costs speed unnoticed, and the command that changes it."""

    about: str
    reason: str
    remedy: str


@dataclass(frozen=True)
class Findings:
    """The whole examination; a package that is not installed has the version None."""

    machine: Machine
    board: str | None
    board_file: str | None
    state: BoardState
    advice: tuple[Advice, ...]
    devices: tuple[Device, ...]
    native: NativeState
    providers: tuple[str, ...]
    rights: RightsFound
    versions: dict[str, str | None]
