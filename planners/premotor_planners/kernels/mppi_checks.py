"""Numbers that the kernel `mppi` takes: within these ranges no step of its arithmetic overflows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from premotor_planners.errors import KernelInputError
from premotor_planners.kernels.mppi_motion import MOST as MOST_MEASURED
from premotor_planners.kernels.tensor import Arrays, Field

if TYPE_CHECKING:
    from premotor_planners.kernels.mppi import Mppi

MOST_POSITION_M = 1e6
MOST_YAW_RAD = 100.0
"""float32 tells headings of this size apart by 8e-6 rad."""
MOST = {"nominal": 1e4, "noise": 1e8, "fields": 1e6}

_REMEDY = {
    "fields": "give unknown cells a clearance of 0 and unreached cells the largest cost-to-go instead",
    "state": "wrap the heading to (-pi, pi] and drop a broken measurement instead of passing it on",
}


def check_numbers(kernel: Mppi, inputs: Arrays) -> None:
    """Raise KernelInputError, naming input and element, for NaN, an infinity or a number out of range."""
    state = inputs["state"]
    for name, part, most in (
        ("position", state[:2], MOST_POSITION_M),
        ("heading", state[2:3], MOST_YAW_RAD),
        ("measured values", state[3:], MOST_MEASURED),
    ):
        if not _within(part, most):
            raise KernelInputError(_message(kernel, "state", f"its {name}: {part.tolist()}", most))
    for name, most in MOST.items():
        if not _within(inputs[name], most):
            raise KernelInputError(_message(kernel, name, _first(inputs[name], most), most))


def _within(values: Field, most: float) -> bool:
    # a NaN makes both ends NaN, and every comparison with it is false
    return bool(values.min() >= -most and values.max() <= most)


def _first(values: Field, most: float) -> str:
    at = tuple(int(i) for i in np.argwhere(~(np.abs(values) <= most))[0])
    return f"{float(values[at])} at {at}"


def _message(kernel: Mppi, name: str, found: str, most: float) -> str:
    remedy = _REMEDY.get(name, "find out where it comes from and replace it there")
    return f"{kernel.name}: input `{name}` holds {found}; numbers must be finite and within ±{most:g}; {remedy}"
