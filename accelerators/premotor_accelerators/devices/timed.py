"""Latencies of an executable on zeros."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from premotor_accelerators.profiles.measuring import latencies
from premotor_accelerators.protocol import Arrays, Kernel, Profile


class _Runs(Protocol):
    def run(self, inputs: Arrays, outputs: dict[str, NDArray[Any]]) -> None: ...


def timed(executable: _Runs, kernel: Kernel, runs: int) -> Profile:
    """Over `runs` runs, after two that are not counted. Raises ValueError for fewer than one."""
    inputs = {spec.name: np.zeros(spec.shape, spec.dtype) for spec in kernel.inputs}
    outputs = {spec.name: np.zeros(spec.shape, spec.dtype) for spec in kernel.outputs}
    return latencies(lambda: executable.run(inputs, outputs), runs)
