"""nano-astar in a process of the peers' venv (see `bench/workers/with_nano_astar.py`)."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from premotor_planners.maps.movingai import Scenario
from premotor_runtime.bench.errors import NotInstalled
from premotor_runtime.bench.peers import REMEDY, peers_python
from premotor_runtime.bench.worker import WORKERS, Worker

NAME, _FILE = "nano-astar", "with_nano_astar.py"
_OPEN_S, _SOLVE_S = 60.0, 120.0
Timed = tuple[float, float | None]
"""Seconds, and the cost in cells, None without a way."""


class NanoAStarPeer:
    """A started peer. Leaving the context ends its process. Raises NotInstalled with the remedy, WorkerFailed."""

    def __init__(self, python: Path | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="premotor-bench-")
        try:
            self._worker = Worker(NAME, python or peers_python(), WORKERS / _FILE, {})
            try:
                self._worker.ask("open", _OPEN_S)
            except BaseException:
                self._worker.__exit__()
                raise
        except NotInstalled as error:
            self._folder.cleanup()
            raise NotInstalled(f"{error}; {REMEDY}") from error
        except BaseException:
            self._folder.cleanup()
            raise

    def __enter__(self) -> NanoAStarPeer:
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.__exit__()
        self._folder.cleanup()

    def load(self, free: NDArray[np.bool_]) -> None:
        """The map of the queries to come. Raises WorkerFailed."""
        path = Path(self._folder.name) / "map.npy"
        np.save(path, (~free).astype(np.uint8), allow_pickle=False)
        self._worker.ask("load", _SOLVE_S, path=str(path))

    def solve(self, queries: Sequence[Scenario]) -> list[Timed]:
        """Each query timed there. Raises WorkerFailed."""
        found = self._worker.ask("solve", _SOLVE_S, queries=[[*each.start, *each.goal] for each in queries])
        return [(float(seconds), cost) for seconds, cost in found]
