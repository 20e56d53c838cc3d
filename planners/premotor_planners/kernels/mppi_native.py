"""The kernel `mppi` in C++ (`native/source/mppi.cpp`): one call, one thread, a fixed number of operations."""

from __future__ import annotations

from ctypes import POINTER, Structure, c_float, c_int, c_int32, c_int64, c_void_p
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.mppi_motion import MOST_DISCS
from premotor_planners.kernels.native.library import KernelLibrary, pointer
from premotor_planners.kernels.tensor import Arrays

if TYPE_CHECKING:
    from premotor_planners.kernels.mppi import Mppi

_MOTIONS = {"differential": 0, "omnidirectional": 1, "ackermann": 2}
_MOST_CHANNELS = 3
_INPUTS = ("state", "nominal", "noise", "fields")
_OUTPUTS = ("sequence", "best_cost", "expected_cost", "free_share")


class ChannelSetting(Structure):
    """As `Channel` in the source."""

    _fields_ = [(name, c_float) for name in ("low", "high", "change", "deviation", "pull", "change_cost")]


class Setting(Structure):
    """As `Setting` in the source."""

    _fields_ = [
        *[(name, c_int32) for name in ("motion", "channels", "rollouts", "steps", "rows", "cols")],
        *[(name, c_float) for name in ("dt", "cells_per_metre", "wheelbase")],
        *[
            (name, c_float)
            for name in ("radius", "safe", "hit_ramp", "guide", "terminal", "near", "hit", "temperature")
        ],
        ("channel", ChannelSetting * _MOST_CHANNELS),
        ("discs", c_int32),
        ("disc", c_float * MOST_DISCS),
    ]


def setting_of(kernel: Mppi) -> Setting:
    """The kernel's parameters as the source takes them; what counts per second is multiplied by the step."""
    costs, dt = kernel.costs, kernel.dt_s
    channels = zip(kernel.motion.channels, kernel.columns.inverse_deviation[:, 0], strict=True)
    rows = [
        ChannelSetting(c.low, c.high, c.rate * dt, c.deviation, costs.control * float(inverse), c.change_cost)
        for c, inverse in channels
    ]
    return Setting(
        _MOTIONS[kernel.motion.name], kernel.channels, kernel.rollouts, kernel.steps, kernel.rows, kernel.cols,
        dt, 1.0 / kernel.resolution_m, getattr(kernel.motion, "wheelbase_m", 1.0),
        costs.radius_m, costs.safe_m, costs.hit_ramp_m,
        costs.guide * dt, costs.terminal, costs.near * dt, costs.hit * dt, costs.temperature,
        (ChannelSetting * _MOST_CHANNELS)(*rows), len(kernel.body_m), (c_float * MOST_DISCS)(*kernel.body_m),
    )  # fmt: skip


class NativeMppi:
    """One kernel's parameters and scratch memory. Not for several threads at once: the memory is shared."""

    def __init__(self, kernel: Mppi, library: KernelLibrary) -> None:
        self.description = f"native ({library.instruction_set})"
        self._kernel = kernel
        self._given = setting_of(kernel)
        self._solve = library.function("mppi", c_int, [POINTER(Setting), *[c_void_p] * 9])
        scratch = library.function("mppi_scratch", c_int64, [POINTER(Setting)])
        self._scratch = np.zeros(scratch(self._given), np.float32)

    def run(self, inputs: Arrays, outputs: dict[str, NDArray[Any]]) -> None:
        """As `Compiled.run`, for arrays of the kernel's shapes. Raises KernelInputError as `Mppi.check`."""
        self._kernel.check(inputs)
        given = [pointer(inputs[name]) for name in _INPUTS]
        self._solve(self._given, *given, pointer(self._scratch), *[pointer(outputs[name]) for name in _OUTPUTS])
