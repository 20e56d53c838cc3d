"""The scene in which `mppi` is measured: a robot under way between obstacles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.mppi import Mppi

_SEED = 7
_OBSTACLES = 12
_FARTHEST_M = 0.6


def scene(kernel: Mppi) -> dict[str, NDArray[Any]]:
    """Inputs of the kernel: round obstacles, a goal in the far corner, standard normal noise."""
    random = np.random.default_rng(_SEED)
    y, x = np.mgrid[: kernel.rows, : kernel.cols] * kernel.resolution_m
    width, height = kernel.cols * kernel.resolution_m, kernel.rows * kernel.resolution_m
    centres = random.uniform((0.0, 0.0), (width, height), (_OBSTACLES, 2))
    start = np.array((0.25 * width, 0.25 * height))
    centres = centres[np.hypot(*(centres - start).T) > _FARTHEST_M]
    clearance = np.min([np.hypot(x - cx, y - cy) for cx, cy in centres], axis=0) - 0.1
    fields = np.stack([np.clip(clearance, 0.0, _FARTHEST_M), np.hypot(x - 0.9 * width, y - 0.9 * height)])
    measured = [0.5, *np.zeros(kernel.channels - 1)]
    return {
        "state": np.array([*start, 0.6, *measured], np.float32),
        "nominal": np.tile(np.array(measured, np.float32), (kernel.steps, 1)),
        "noise": random.standard_normal((kernel.steps, kernel.channels, kernel.rollouts), np.float32),
        "fields": fields.astype(np.float32),
    }
