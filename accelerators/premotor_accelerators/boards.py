"""Board descriptions: which lanes a machine has."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from premotor_foundation.strict_yaml import load


@dataclass(frozen=True)
class Lane:
    """One execution resource with its queue: a CPU core, a GPU, a DLA core."""

    name: str
    device: Literal["cpu", "cuda", "tensorrt", "dla"]


@dataclass(frozen=True)
class Board:
    """A machine and its lanes."""

    name: str
    lanes: tuple[Lane, ...]

    def __post_init__(self) -> None:
        names = [lane.name for lane in self.lanes]
        if not names or len(set(names)) != len(names):
            raise ValueError(f"a board has at least one lane and their names differ; given: {names}")


def load_board(path: Path) -> Board:
    """The board in a YAML file. Raises ConfigError naming file and line."""
    return load(path, Board)
