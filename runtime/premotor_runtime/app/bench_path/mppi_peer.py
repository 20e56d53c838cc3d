"""pytorch-mppi on our model and costs, in a process of the peers' venv (see `bench/workers/with_pytorch_mppi.py`)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.tensor import Arrays
from premotor_runtime.bench.errors import NotInstalled
from premotor_runtime.bench.peers import REMEDY, peers_python
from premotor_runtime.bench.worker import WORKERS, Worker

_NAME, _FILE = "pytorch-mppi", "with_pytorch_mppi.py"
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_OPEN_S, _CHOOSE_S, _SOLVE_S = 120.0, 600.0, 60.0


class PytorchMppi:
    """A started peer with the scene loaded. Leaving the context ends its process."""

    def __init__(self, kernel: Mppi, inputs: Arrays, python: Path | None = None) -> None:
        """`kernel` has differential motion. Raises NotInstalled with the remedy, WorkerFailed."""
        self._folder = tempfile.TemporaryDirectory(prefix="premotor-bench-")
        try:
            path = Path(self._folder.name) / "scene.npz"
            np.savez(path, allow_pickle=False, **inputs)
            self._worker = Worker(_NAME, python or peers_python(), WORKERS / _FILE, _ONE_THREAD)
            try:
                self._worker.ask("open", _OPEN_S, path=str(path), given=parameters(kernel), compiled=True)
            except BaseException:
                self._worker.__exit__()
                raise
        except NotInstalled as error:
            self._folder.cleanup()
            raise NotInstalled(f"{error}; {REMEDY}") from error
        except BaseException:
            self._folder.cleanup()
            raise

    def __enter__(self) -> PytorchMppi:
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.__exit__()
        self._folder.cleanup()

    def answer(self) -> dict[str, float]:
        """best_cost and expected_cost; the first call tries the ways of solving out. Raises WorkerFailed."""
        found: dict[str, float] = self._worker.ask("answer", _CHOOSE_S)
        return found

    def describe(self) -> dict[str, Any]:
        """Which way was fastest. Raises WorkerFailed."""
        found: dict[str, Any] = self._worker.ask("describe", _SOLVE_S)
        return found

    def solve_ms(self, repeats: int) -> float:
        """The median of so many solutions, timed there. Raises WorkerFailed."""
        seconds: list[float] = self._worker.ask("solve", _SOLVE_S, repeats=repeats)
        return median(seconds) * 1e3


def parameters(kernel: Mppi) -> dict[str, Any]:
    """What the worker's model and costs are made of."""
    columns = {name: column[:, 0].tolist() for name, column in kernel.columns._asdict().items()}
    costs = kernel.costs
    names = ("guide", "terminal", "near", "hit", "hit_ramp_m", "temperature", "radius_m", "safe_m")
    step = {"dt_s": kernel.dt_s, "resolution_m": kernel.resolution_m}
    return columns | step | {name: getattr(costs, name) for name in names}
