"""`slowing` in one call of C++, for discs and polygons, where it could be built."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import Structure, byref, c_double, c_int, c_void_p
from functools import lru_cache
from typing import Any

import numpy as np

from premotor_foundation.native_code.errors import BuildError
from premotor_planners.costmap.native.library import costmap_library
from premotor_planners.kernels.native.library import pointer
from premotor_planners.motion.footprint import Disc
from premotor_planners.motion.scan_points import Points
from premotor_planners.motion.slowing import SLOWER, SLOWEST, Asked, Base, clear_scale_by_definition
from premotor_planners.motion.sweeping import CONTACT_M, native_sweep

_TRIES = np.array(SLOWER)
_TRIES_AT = pointer(_TRIES)


class _Numbers(Structure):
    """`Asked` of slowing.cpp."""

    _fields_ = tuple(
        (name, c_double)
        for name in (
            "v", "w", "measured_v", "measured_w", "latency_s", "held_s", "period_s", "accel", "turn_accel", "lag_s",
            "margin", "spacing", "contact", "slowest", "radius", "reach",
        )
    )  # fmt: skip


def clear_scale(base: Base, asked: Asked, points: Points) -> float:
    """By what to multiply the command so that what it sweeps keeps clear of `points` (n, 2): 1 at most, 0 for none.

    Swept are the arc on which it stops, as if obeyed at once and from where it shows; the way through what acts before
    it, to it and, braked along its arc, to standstill; and that of a base that is told to stop one period later.
    """
    native, footprint = native_slowing(), base.footprint
    corners = () if isinstance(footprint, Disc) else getattr(footprint, "corners_m", None)
    if native is None or corners is None:
        return clear_scale_by_definition(base, asked, points)
    corner, point = np.array(corners, np.float64), np.ascontiguousarray(points, np.float64)
    led = np.array([(held.command.v_mps, held.command.w_rps, held.seconds) for held in asked.led], np.float64)
    scale: float = native(
        byref(_numbers(base, asked)), len(corners), pointer(corner), len(led), pointer(led), len(point), pointer(point),
        len(_TRIES), _TRIES_AT,
    )  # fmt: skip
    return scale if scale >= 0.0 else clear_scale_by_definition(base, asked, points)


def _numbers(base: Base, asked: Asked) -> _Numbers:
    command, measured, braking = asked.command, asked.measured, base.braking
    return _Numbers(
        command.v_mps, command.w_rps, measured.v_mps, measured.w_rps, asked.latency_s, asked.held_s, base.period_s,
        braking.accel_mps2, braking.turn_accel_rps2, braking.lag_s, base.margin_m, base.spacing_m, CONTACT_M, SLOWEST,
        getattr(base.footprint, "radius_m", 0.0), base.footprint.reach_m,
    )  # fmt: skip


@lru_cache(maxsize=1)
def native_slowing() -> Callable[..., Any] | None:
    """The C++ version, built at the first call; None where it cannot be built, as `native_sweep` warns of."""
    if native_sweep() is None:
        return None
    arguments = [c_void_p, c_int, c_void_p, c_int, c_void_p, c_int, c_void_p, c_int, c_void_p]
    try:
        return costmap_library().function("slowed", c_double, arguments)
    except BuildError:
        return None
