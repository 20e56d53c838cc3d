"""Board descriptions: which lanes a machine has, and what its power modes leave of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from premotor_foundation.strict_yaml import limited, load


@dataclass(frozen=True)
class Lane:
    """One execution resource with its queue: a CPU core, a GPU, a DLA core."""

    name: str
    device: Literal["cpu", "cuda", "tensorrt", "dla"]

    @property
    def dla_core(self) -> int | None:
        """The core of a DLA lane, from its name: `dla1` is core 1."""
        match = re.fullmatch(r"dla(\d)", self.name)
        return int(match.group(1)) if match and self.device == "dla" else None


@dataclass(frozen=True)
class Memory:
    """The memory that all units share: its size, its peak bandwidth, and the clock at which it has that."""

    gb: float = limited(above=0.0)
    gbps: float = limited(above=0.0)
    clock_mhz: float = limited(above=0.0)


@dataclass(frozen=True)
class PowerMode:
    """What nvpmodel leaves in one of its modes; None where it is not published.

    `cpus` cores up to `cpu_mhz`, `gpu_sms` multiprocessors up to `gpu_mhz`, each of `dla_cores` up to `dla_mhz`, the
    memory controller up to `memory_mhz`.
    """

    name: str
    cpus: int = limited(at_least=1)
    cpu_mhz: float | None = limited(above=0.0, default=None)
    gpu_sms: int | None = limited(at_least=1, default=None)
    gpu_mhz: float | None = limited(above=0.0, default=None)
    dla_cores: int = limited(at_least=0, at_most=2, default=0)
    dla_mhz: float | None = limited(above=0.0, default=None)
    memory_mhz: float | None = limited(above=0.0, default=None)


@dataclass(frozen=True)
class Board:
    """A machine and its lanes.

    `device_tree` is a pattern that the model's name in the device tree matches; `compute_capability` the GPU's.
    """

    name: str
    lanes: tuple[Lane, ...]
    device_tree: str | None = None
    compute_capability: str | None = None
    memory: Memory | None = None
    power_modes: tuple[PowerMode, ...] = ()

    def __post_init__(self) -> None:
        names = [lane.name for lane in self.lanes]
        if not names or len(set(names)) != len(names):
            raise ValueError(f"a board has at least one lane and their names differ; given: {names}")
        unnumbered = [lane.name for lane in self.lanes if lane.device == "dla" and lane.dla_core is None]
        if unnumbered:
            raise ValueError(f"a DLA lane is called dla0 or dla1 after its core; given: {unnumbered}")
        modes = [mode.name for mode in self.power_modes]
        if len(set(modes)) != len(modes):
            raise ValueError(f"power modes have names of their own; given: {modes}")

    def power_mode(self, name: str) -> PowerMode:
        """The mode of that name. Raises KeyError."""
        return {mode.name: mode for mode in self.power_modes}[name]


def load_board(path: Path) -> Board:
    """The board in a YAML file. Raises ConfigError naming file and line."""
    return load(path, Board)


def board_named_in(folder: Path, model: str, memory_gb: float | None = None) -> Board | None:
    """The board among the files of `folder` that a device tree calls `model`; None when there is none.

    Modules of one name differ in memory: of several the one nearest to `memory_gb` is meant, or the largest.
    """
    boards = [load_board(path) for path in sorted(folder.glob("*.yaml"))]
    fitting = [board for board in boards if board.device_tree and re.search(board.device_tree, model)]
    sized = [(board.memory.gb if board.memory else 0.0, board) for board in fitting]
    if not sized:
        return None
    wanted = memory_gb if memory_gb is not None else max(size for size, _ in sized)
    return min(sized, key=lambda pair: abs(pair[0] - wanted))[1]
