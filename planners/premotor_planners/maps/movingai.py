"""MovingAI's maps and scenarios: N. Sturtevant, "Benchmarks for Grid-Based Pathfinding" (2012).

Row 0 is the top, x the column, y the row. `.` and `G` can be passed, `@`, `O` and `T` not.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from premotor_planners.errors import MapFileError
from premotor_planners.maps.grid import Cell

PASSABLE, BLOCKED = ".G", "@OT"
_HEADER = ("type octile", "height", "width", "map")


@dataclass(frozen=True)
class Scenario:
    """One query, and what its shortest way costs: 1 a straight and sqrt 2 a diagonal step, no corner cut."""

    bucket: int
    start: Cell
    goal: Cell
    cost: float


def read_map(path: Path) -> NDArray[np.bool_]:
    """Where one may go, (rows, cols). Raises MapFileError with file and line."""
    lines = _lines(path)
    rows, cols = _number(path, lines, 1, "height"), _number(path, lines, 2, "width")
    if [line.strip() for line in (lines[0], lines[3])] != [_HEADER[0], _HEADER[3]]:
        raise MapFileError(path, 1, f"the header must be four lines: {', '.join(_HEADER)}")
    body = lines[4 : 4 + rows]
    if len(body) < rows:
        raise MapFileError(path, len(lines), f"the file ends after {len(body)} of {rows} rows; it was cut short")
    return np.array([_row(path, number, line, cols) for number, line in enumerate(body, 5)], np.bool_)


def read_scenarios(path: Path, shape: tuple[int, int]) -> list[Scenario]:
    """The queries of a .scen file for a map of `shape` (rows, cols). Raises MapFileError with file and line."""
    lines = _lines(path)
    if lines[0].split() not in (["version", "1"], ["version", "1.0"]):
        raise MapFileError(path, 1, f"`{lines[0].strip()}`; the first line must be `version 1` or `version 1.0`")
    return [_scenario(path, number, line, shape) for number, line in enumerate(lines[1:], 2) if line.strip()]


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise MapFileError(path, None, f"cannot be read as ASCII text: {error}") from error
    if len(lines) < (4 if path.suffix == ".map" else 1):
        raise MapFileError(path, len(lines), "the header is not whole; the file was cut short")
    return lines


def _number(path: Path, lines: list[str], index: int, name: str) -> int:
    words = lines[index].split()
    if len(words) != 2 or words[0] != name or not words[1].isdecimal() or int(words[1]) < 1:
        raise MapFileError(path, index + 1, f"`{lines[index].strip()}`; it must be `{name} N` with N at least 1")
    return int(words[1])


def _row(path: Path, number: int, line: str, cols: int) -> list[bool]:
    if len(line) != cols:
        raise MapFileError(path, number, f"{len(line)} cells; every row must have {cols}")
    strange = set(line) - set(PASSABLE + BLOCKED)
    if strange:
        raise MapFileError(path, number, f"terrain `{min(strange)}`; known: {' '.join(PASSABLE + BLOCKED)}")
    return [cell in PASSABLE for cell in line]


def _scenario(path: Path, number: int, line: str, shape: tuple[int, int]) -> Scenario:
    words = line.split()
    try:
        bucket, cols, rows, x, y, goal_x, goal_y = (int(words[i]) for i in (0, 2, 3, 4, 5, 6, 7))
        cost = float(words[8])
    except (ValueError, IndexError) as error:
        wanted = "bucket, map, width, height, start x, start y, goal x, goal y, length"
        raise MapFileError(path, number, f"`{line.strip()}`; it must be {wanted}") from error
    if (rows, cols) != shape:
        raise MapFileError(path, number, f"made for {cols} x {rows} cells, the map has {shape[1]} x {shape[0]}")
    for name, cell in (("start", (y, x)), ("goal", (goal_y, goal_x))):
        if not (0 <= cell[0] < rows and 0 <= cell[1] < cols):
            raise MapFileError(path, number, f"the {name} ({cell[1]}, {cell[0]}) lies outside the map")
    return Scenario(bucket, (y, x), (goal_y, goal_x), cost)
