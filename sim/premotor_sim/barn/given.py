"""The given BARN worlds, read from a folder with `cylinders.json` and `path_files/path_*.npy`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_sim.barn.world import GOAL, START, CylinderWorld, polyline_m
from premotor_sim.errors import SimulationError

_CELL_M, _X0_M, _Y0_M = 0.15, -4.575, 5.075
"""A cell (a, b) of a reference path lies at (0.15 a - 4.575, 0.15 b + 5.075)."""


def load_barn(folder: Path) -> tuple[CylinderWorld, ...]:
    """All worlds by number. Raises SimulationError for a folder or a file that does not hold what it should."""
    file = folder / "cylinders.json"
    if not file.is_file():
        raise SimulationError(f"{file} is missing; give the folder of the BARN data, with cylinders.json")
    try:
        found = json.loads(file.read_text())
        names = sorted(found, key=int)
    except (ValueError, TypeError) as error:
        raise SimulationError(f"{file} does not hold worlds by number: {error}; fetch it anew") from error
    return tuple(_world(folder, name, found[name]) for name in names)


def _world(folder: Path, name: str, rows: Any) -> CylinderWorld:
    try:
        cylinders = np.array(rows, np.float64).reshape(-1, 3)
    except (ValueError, TypeError) as error:
        raise SimulationError(f"world {name}: its cylinders are not rows of x, y, radius: {error}") from error
    if not np.isfinite(cylinders).all() or (cylinders[:, 2] <= 0).any():
        raise SimulationError(f"world {name}: cylinders need finite places and radii above 0")
    return CylinderWorld(name, cylinders, polyline_m(_reference(folder / "path_files" / f"path_{name}.npy")))


def _reference(file: Path) -> NDArray[np.float64]:
    try:
        cells = np.load(file, allow_pickle=False).astype(np.float64)
    except (OSError, ValueError) as error:
        raise SimulationError(f"{file}: no reference path ({error}); it is needed for the optimal time") from error
    if cells.ndim != 2 or cells.shape[1] != 2 or not np.isfinite(cells).all():
        raise SimulationError(f"{file} has shape {cells.shape}; a path is rows of two finite numbers")
    points = cells * _CELL_M + np.array([_X0_M, _Y0_M])
    return np.vstack([START[:2], points, GOAL])
